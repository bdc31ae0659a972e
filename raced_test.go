//go:build race

package servery_test

// raced is true under the race detector, which makes everything many times slower.
const raced = true
