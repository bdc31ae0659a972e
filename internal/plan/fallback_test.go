package plan_test

import (
	"testing"

	"servery/internal/plan"
)

func TestFallback(t *testing.T) {
	const html = "text/html"
	for _, tt := range []struct {
		name       string
		extensions bool
		accept     []string
		may, asked bool
		reason     string
	}{
		{"users/7", false, []string{html}, true, true, "a route"},
		{".", false, []string{html}, true, true, "the root has no extension, whatever its name looks like"},
		{"users/7", false, nil, true, false, "an absent Accept names nothing"},
		{"users/7", false, []string{"*/*"}, true, false, "what scripts fetch with"},
		{"users/7", false, []string{"text/*"}, true, false, "a group is not the type"},
		{"users/7", false, []string{html + ";q=0, */*"}, true, false, "refused"},
		{"users/7", false, []string{"image/avif", html + ";q=0.001"}, true, true, "the least weight, in a later line"},
		{"app.js", false, []string{html}, false, false, "a file that is gone"},
		{"a/b.c/d", false, []string{html}, true, true, "the extension of a folder does not count"},
		{"v1.2", false, []string{html}, false, false, "a dot makes an extension"},
		{"dot.", false, []string{html}, false, false, "an empty one, too"},
		{".well-known", false, []string{html}, false, false, "a leading dot as well"},
		{"v1.2", true, []string{html}, true, true, "extensions are allowed"},
		{"v1.2", true, []string{"*/*"}, true, false, "which does not change what Accept has to say"},
	} {
		may, asked := plan.Fallback(tt.name, tt.extensions, tt.accept)
		if may != tt.may || asked != tt.asked {
			t.Errorf("%q, extensions %t, Accept %q, %s: may %t, asked %t, want %t, %t",
				tt.name, tt.extensions, tt.accept, tt.reason, may, asked, tt.may, tt.asked)
		}
	}
}
