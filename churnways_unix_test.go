//go:build unix

package servery_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"servery/internal/testkit"
)

// state is what there is under a name after one change of it: a status, and the content if that is 200.
type state struct {
	status  int
	content string
}

// way is one way to change a file for the nth time, which is 1 for the first.
type way struct {
	name   string
	first  func(p ground, name int) error // makes the first state of it; nil where that is a file
	change func(p ground, name int, n int64) error
	after  func(n int64) state
	// during reports whether an answer could come in the middle of a change, if it is of no state. nil means none.
	during func(got testkit.Response) bool
	reason string
}

func ways() []way {
	return []way{
		{"rename", nil, func(p ground, name int, n int64) error {
			return errors.Join(put(p.temporary(), os.O_CREATE|os.O_TRUNC, numbered(n)), os.Rename(p.temporary(), p.file(name)))
		}, whole, nil, "another inode with the same size and date"},
		{"rewrite", nil, func(p ground, name int, n int64) error {
			return put(p.file(name), 0, numbered(n))
		}, whole, isWeak, "the same inode with the same size and date, torn for whoever reads it meanwhile"},
		{"truncate", nil, func(p ground, name int, n int64) error {
			return os.Truncate(p.file(name), lengthAfter(n))
		}, func(n int64) state {
			if n == 0 {
				return whole(0)
			}
			return state{http.StatusOK, (numbered(0)[:narrowest] + strings.Repeat("\x00", widest))[:lengthAfter(n)]}
		}, isFailure, "the same inode, shorter and longer"},
		{"delete and create", nil, func(p ground, name int, n int64) error {
			if n%2 == 1 {
				return os.Remove(p.file(name))
			}
			return put(p.file(name), os.O_CREATE|os.O_EXCL, numbered(n))
		}, everyOther(whole, http.StatusNotFound), isEmpty, "nothing, and then perhaps the same inode"},
		{"forbid", nil, func(p ground, name int, n int64) error {
			return os.Chmod(p.file(name), os.FileMode(1-n%2)*0o644)
		}, everyOther(func(int64) state { return whole(0) }, http.StatusForbidden), nil, "the same file, which is not to be read"},
		{"link", nil, func(p ground, name int, n int64) error {
			return p.link(p.file(name), filepath.Join([]string{"../inside0", p.outside(), "../inside1", "../../outside"}[n%4], "file.txt"))
		}, inAndOut, nil, "a link that leads inside and outside"},
		{"folder is a link", func(p ground, name int) error {
			return errors.Join(os.RemoveAll(p.folder(name)), os.Symlink("inside0", p.folder(name)))
		}, func(p ground, name int, n int64) error {
			return p.link(p.folder(name), []string{"inside0", p.outside(), "inside1", "../outside"}[n%4])
		}, inAndOut, nil, "a link above the file"},
		{"folder becomes a link", nil, func(p ground, name int, n int64) error {
			if n%2 == 1 {
				return errors.Join(os.Rename(p.folder(name), p.aside(name)), os.Symlink(p.outside(), p.folder(name)))
			}
			return errors.Join(os.Remove(p.folder(name)), os.Rename(p.aside(name), p.folder(name)))
		}, everyOther(func(int64) state { return whole(0) }, http.StatusNotFound), isMissing, "moved out, with a link to another folder in its place"},
	}
}

func wayNamed(name string) way {
	for _, w := range ways() {
		if w.name == name {
			return w
		}
	}
	panic("no way " + name)
}

func whole(n int64) state { return state{http.StatusOK, numbered(n)} }

// everyOther is one thing after even changes and an error after odd ones.
func everyOther(even func(int64) state, odd int) func(int64) state {
	return func(n int64) state {
		if n%2 == 1 {
			return state{status: odd}
		}
		return even(n)
	}
}

func inAndOut(n int64) state {
	if n%2 == 1 {
		return state{status: http.StatusNotFound}
	}
	return whole(n % 4 / 2)
}

// A file that is truncated and made longer again ends in zeros. It never becomes shorter than narrowest
// after the first change, which is where what it was remains.
const narrowest, widest = 100, 900

// lengthAfter is another length after each change.
func lengthAfter(n int64) int64 {
	if n == 1 {
		return narrowest
	}
	return narrowest + n*7919%(widest-narrowest+1)
}

func isWeak(got testkit.Response) bool    { return strings.HasPrefix(got.Header.Get("Etag"), "W/") }
func isEmpty(got testkit.Response) bool   { return got.Header.Get("Etag") == contentTag("") }
func isMissing(got testkit.Response) bool { return got.Status == http.StatusNotFound }
func isFailure(got testkit.Response) bool {
	return got.Status == http.StatusInternalServerError || got.Err != nil
}

// fits reports whether the answer to a request is right for the state: its status, its bytes, its length,
// and its tag unless that is weak.
func (s state) fits(method, condition string, got testkit.Response) bool {
	if s.status != http.StatusOK {
		return got.Status == s.status && !bytes.Contains(got.Body, []byte(secret))
	}
	tag := got.Header.Get("Etag")
	body, length := s.content, len(s.content)
	switch {
	case got.Status == http.StatusNotModified:
		return strings.HasSuffix(condition, strings.TrimPrefix(tag, "W/")) && strings.TrimPrefix(tag, "W/") == contentTag(s.content)
	case got.Status == http.StatusPartialContent && strings.HasPrefix(condition, "Range"):
		body = body[partFrom:partTo]
	case got.Status != http.StatusOK || got.Err != nil:
		return false
	}
	if method == "HEAD" {
		return got.Header.Get("Content-Length") == strconv.Itoa(length) && (isWeak(got) || tag == contentTag(s.content))
	}
	return string(got.Body) == body && (isWeak(got) || tag == contentTag(s.content))
}

const partFrom, partTo = 5, 25
