module servery

go 1.26.1

require (
	github.com/google/go-cmp v0.7.0
	github.com/klauspost/compress v1.20.3
	golang.org/x/sys v0.50.0
)
