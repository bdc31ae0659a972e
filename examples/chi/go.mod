module servery/examples/chi

go 1.26.1

require (
	github.com/go-chi/chi/v5 v5.5.0
	servery v0.0.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace servery => ../..
