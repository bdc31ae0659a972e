//go:build race

package codec_test

// raced says whether the race detector is on.
const raced = true
