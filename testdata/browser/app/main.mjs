// Reports what the page has come to. It is loaded a second time after that, by the
// reload that a user would ask for.

import {lib} from "./lib.js";
import {hashed} from "./assets/hashed-0badcafe.js";

function media(url, at) {
	const element = new Audio(url);
	return new Promise((resolve, reject) => {
		element.onerror = () => reject(new Error(element.error.message));
		element.onloadedmetadata = () => { element.currentTime = at; };
		element.onseeked = () => resolve([element.duration, element.currentTime]);
	});
}

async function main() {
	if (document.readyState !== "complete") await new Promise((resolve) => window.addEventListener("load", resolve));
	const {instance} = await WebAssembly.instantiateStreaming(fetch("add.wasm"));
	return {
		lib, hashed, classic: window.classic,
		color: getComputedStyle(document.body).color,
		image: document.getElementById("image").naturalWidth,
		sum: instance.exports.add(40, 2),
		sound: await media("sound.wav?" + performance.timeOrigin, 3000),
	};
}

const report = await main().catch((error) => ({error: String(error)}));
await fetch("/report", {method: "POST", body: JSON.stringify(report)});
if (!sessionStorage.reloaded) {
	sessionStorage.reloaded = "yes";
	location.reload();
}
