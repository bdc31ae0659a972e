// window.page is what the page has come to, or is rejected. window.stream opens what a
// test sends piece by piece, and window.next waits for the next piece.

import {lib} from "./lib.js";
import {hashed} from "./assets/hashed-0badcafe.js";

function media(element, url, at) {
	return new Promise((resolve, reject) => {
		element.onerror = () => reject(new Error(url + ": " + element.error.message));
		element.onloadedmetadata = () => { element.currentTime = at; };
		element.onseeked = () => resolve([element.duration, element.currentTime, element.videoWidth || 0]);
		element.preload = "auto";
		element.src = url;
	});
}

async function main() {
	if (document.readyState !== "complete") await new Promise((resolve) => addEventListener("load", resolve));
	const {instance} = await WebAssembly.instantiateStreaming(fetch("add.wasm"));
	await document.fonts.ready;
	return {
		lib, hashed, classic: window.classic,
		color: getComputedStyle(document.body).color,
		images: [document.getElementById("image").naturalWidth, document.getElementById("picture").naturalWidth],
		fonts: [...document.fonts].map((font) => font.family + " " + font.status),
		sum: instance.exports.add(40, 2),
		video: await media(document.createElement("video"), "clip.webm", 9),
		// A name of its own for each load: what is in the cache would be taken from there.
		sound: await media(new Audio(), "sound.wav?" + performance.timeOrigin, 3000),
	};
}

window.page = main();

window.stream = (url) => {
	const pieces = [], waiting = [];
	const got = (piece) => waiting.length ? waiting.shift()(piece) : pieces.push(piece);
	window.next = () => pieces.length ? pieces.shift() : new Promise((resolve) => waiting.push(resolve));
	if (url.endsWith("events")) {
		const source = new EventSource(url);
		source.onmessage = (event) => got(event.data + (source.readyState === EventSource.OPEN ? " open" : " closed"));
		source.onerror = () => { source.close(); got("end"); };
		return;
	}
	fetch(url).then(async (response) => {
		const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
		for (let rest = ""; ; ) {
			const {done, value} = await reader.read();
			if (done) return got("end" + rest);
			const lines = (rest + value).split("\n");
			rest = lines.pop();
			for (const line of lines) got(JSON.parse(line).line + " open");
		}
	}).catch((error) => got(String(error)));
};
