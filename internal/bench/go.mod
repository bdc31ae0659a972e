module servery/internal/bench

go 1.26.0

require (
	github.com/klauspost/compress v1.20.3
	github.com/valyala/fasthttp v1.78.0
	servery v0.0.0
)

require (
	github.com/molecule-man/go-brrr v1.3.1 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace servery => ../..
