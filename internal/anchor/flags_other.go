//go:build !unix

package anchor

import "os"

// openFlags are those for reading: directories of these systems hold nothing that opening waits for.
const openFlags = os.O_RDONLY
