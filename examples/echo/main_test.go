package main

import (
	"os"
	"testing"

	"servery/examples/internal/routed"
	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

func TestRun(t *testing.T) { routed.Check(t, run) }
