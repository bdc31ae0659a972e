//go:build !unix

package offload

import "errors"

// pipe does not exist here: what the runtime's poller waits for cannot be made out of a pipe.
type pipe struct{}

func newPipe() (*pipe, error) { return nil, errors.ErrUnsupported }

func (*pipe) pass() error { return errors.ErrUnsupported }

func (*pipe) close() {}
