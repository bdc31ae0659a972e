package servery_test

import (
	"os"
	"testing"

	"servery/internal/testkit"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role, os.Args[1:]))
	}
	os.Exit(testkit.Main(m))
}
