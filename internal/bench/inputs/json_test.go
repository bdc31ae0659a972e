package inputs

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"testing"
)

func TestJSONText(t *testing.T) {
	for _, test := range []struct {
		size, items int
		reason      string
	}{
		{200, 1, "the least has one item"},
		{201, 1, "any size can be had"},
		{2 << 10, 5, "some items"},
		{100 << 10, 400, "many"},
		{1 << 20, 4000, "as many as it takes"},
	} {
		text := JSON(test.size, 0)
		var items []map[string]any
		if err := json.Unmarshal(text, &items); err != nil || len(text) != test.size || len(items) < test.items {
			t.Errorf("%d bytes with %d items, %v, want %d with %d or more: %s",
				len(text), len(items), err, test.size, test.items, test.reason)
		}
		if !bytes.Equal(text, JSON(test.size, 0)) {
			t.Errorf("two of %d bytes differ: the same is to be served in every run", test.size)
		}
		if bytes.Equal(text, JSON(test.size, 1)) {
			t.Errorf("two of %d bytes are the same: files are to differ", test.size)
		}
	}
}

// TestJSONTextIsLikeThatOfRealAnswers, which become a tenth to a third in gzip: what
// repeats more flatters the middleware, and what repeats less the encoder.
func TestJSONTextIsLikeThatOfRealAnswers(t *testing.T) {
	text := JSON(100<<10, 0)
	var coded bytes.Buffer
	w := gzip.NewWriter(&coded)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if share := float64(coded.Len()) / float64(len(text)); share < 0.1 || share > 0.33 {
		t.Errorf("%d bytes become %d", len(text), coded.Len())
	}
}
