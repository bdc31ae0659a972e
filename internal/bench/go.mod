module servery/internal/bench

go 1.26.1

require (
	github.com/CAFxX/httpcompression v0.0.8
	github.com/go-chi/chi/v5 v5.5.0
	github.com/klauspost/compress v1.20.3
	github.com/valyala/fasthttp v1.78.0
	github.com/vearutop/statigz v1.4.0
	servery v0.0.0
)

require (
	github.com/andybalholm/brotli v1.0.5 // indirect
	github.com/molecule-man/go-brrr v1.3.1 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace servery => ../..
