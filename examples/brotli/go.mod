module servery/examples/brotli

go 1.26.1

require servery v0.0.0

require (
	github.com/andybalholm/brotli v1.3.0
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace servery => ../..
