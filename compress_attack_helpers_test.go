package servery_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
)

// readWhole reads an answer and undoes its coding. Without an error it is whole.
func readWhole(c net.Conn) (plain string, err error) {
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return string(body), err
	}
	if coding := response.Header.Get("Content-Encoding"); coding != "" {
		if plain, err = undo(coding, body); err != nil {
			return plain, fmt.Errorf("%s: %w", coding, err)
		}
		return plain, nil
	}
	return string(body), nil
}
