package mediatype

// webType is the table of the types that browsers act upon. A switch rather than
// a map keeps it immutable and free of start-up cost.
func webType(ext string) string {
	switch ext {
	case ".html", ".htm":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js", ".mjs", ".cjs": // RFC 9239
		return "text/javascript; charset=utf-8"
	case ".txt", ".text":
		return "text/plain; charset=utf-8"
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".md", ".markdown": // RFC 7763
		return "text/markdown; charset=utf-8"
	case ".vtt":
		return "text/vtt; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".jsonld":
		return "application/ld+json"
	case ".geojson":
		return "application/geo+json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".ndjson", ".jsonl":
		return "application/x-ndjson"
	case ".xml":
		return "text/xml; charset=utf-8"
	case ".xhtml":
		return "application/xhtml+xml"
	case ".rss":
		return "application/rss+xml"
	case ".atom":
		return "application/atom+xml"
	case ".wasm":
		return "application/wasm"
	case ".pdf":
		return "application/pdf"
	}
	if mediaType := imageOrFont(ext); mediaType != "" {
		return mediaType
	}
	return streamOrArchive(ext)
}

func imageOrFont(ext string) string {
	switch ext {
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".apng":
		return "image/apng"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".avif":
		return "image/avif"
	case ".ico": // what browsers themselves call it; IANA's image/vnd.microsoft.icon is little known
		return "image/x-icon"
	case ".bmp":
		return "image/bmp"
	case ".woff2":
		return "font/woff2"
	case ".woff":
		return "font/woff"
	case ".ttf":
		return "font/ttf"
	case ".otf":
		return "font/otf"
	case ".eot":
		return "application/vnd.ms-fontobject"
	}
	return ""
}

func streamOrArchive(ext string) string {
	switch ext {
	case ".mp4", ".m4v":
		return "video/mp4"
	case ".webm":
		return "video/webm"
	case ".ogv":
		return "video/ogg"
	case ".mp3":
		return "audio/mpeg"
	case ".m4a":
		return "audio/mp4"
	case ".ogg", ".oga", ".opus":
		return "audio/ogg"
	case ".wav":
		return "audio/wav"
	case ".flac":
		return "audio/flac"
	case ".gz": // hosts disagree; the file is what it is, not a coding of another
		return "application/gzip"
	case ".zst":
		return "application/zstd"
	case ".br", ".bin":
		return "application/octet-stream"
	case ".zip":
		return "application/zip"
	}
	return ""
}
