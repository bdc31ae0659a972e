//go:build !race

package servery_test

const raced = false
