package soak

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Probe asks for one URL again and again, over one connection, and writes a line for each
// answer: how long it took until all of it was there. It ends when in does. It is a
// process of its own because in one with busy clients it would wait for those, and say
// nothing of the server. Its pauses keep it from being a load itself.
func Probe(url string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, in)
		cancel()
	}()
	asks := http.Client{Transport: &http.Transport{DisableCompression: true, MaxConnsPerHost: 1}, Timeout: patience}
	defer asks.CloseIdleConnections()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		start := time.Now()
		response, err := asks.Get(url)
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, response.Body)
		took := time.Since(start)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || n == 0 {
			return fmt.Errorf("status %d with %d bytes (%v)", response.StatusCode, n, err)
		}
		fmt.Fprintln(out, took)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// readProbe hands on what a Probe writes, until that ends.
func readProbe(lines io.Reader, took func(time.Duration)) error {
	scanner := bufio.NewScanner(lines)
	for scanner.Scan() {
		d, err := time.ParseDuration(scanner.Text())
		if err != nil {
			return fmt.Errorf("a probe says %q", scanner.Text())
		}
		took(d)
	}
	return scanner.Err()
}
