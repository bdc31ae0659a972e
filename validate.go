package servery

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"servery/internal/mediatype"
	"servery/internal/sidecar"
)

const (
	defaultSmallFileBuffer = 16 << 10
	mostSmallFileBuffer    = 1 << 20
	defaultContentETagMax  = 1 << 20
	defaultRanges          = 16
	defaultMinSize         = 1 << 10
	defaultMaxCompressSize = 10 << 20
	defaultThreshold       = 128 << 10
	defaultHotBytes        = 16 << 20
)

// Validate reports the first option that makes no sense. [FileServer] panics with
// the text of what Validate returns. A nil receiver is valid.
func (o *FileServerOptions) Validate() error {
	if o == nil {
		return nil
	}
	for _, name := range o.Index {
		if name == "." || !fs.ValidPath(name) || strings.Contains(name, "/") {
			return fmt.Errorf("servery: Index: %q is not the name of a file", name)
		}
	}
	if o.Fallback != "" && (o.Fallback == "." || !fs.ValidPath(o.Fallback)) {
		return fmt.Errorf("servery: Fallback: %q is not the path of a file in the root", o.Fallback)
	}
	if o.SmallFileBuffer > mostSmallFileBuffer {
		return fmt.Errorf("servery: SmallFileBuffer: %d is above %d", o.SmallFileBuffer, mostSmallFileBuffer)
	}
	if _, err := mediatype.New(o.MediaTypes); err != nil {
		return fmt.Errorf("servery: MediaTypes: %w", err)
	}
	return o.validateCodings()
}

func (o *FileServerOptions) validateCodings() error {
	if _, err := codecs(o.Encoders, 0); err != nil {
		return fmt.Errorf("servery: Encoders: %w", err)
	}
	if o.MaxCompressSize < 0 || o.OffloadThreshold < 0 {
		return fmt.Errorf("servery: MaxCompressSize %d, OffloadThreshold %d: negative", o.MaxCompressSize, o.OffloadThreshold)
	}
	if o.Cache != nil && o.Cache.store == nil || o.Limiter != nil && o.Limiter.large == nil {
		return errors.New("servery: Cache, Limiter: not made by NewCompressionCache and NewLimiter")
	}
	if o.OnSaturation != Reject && o.OnSaturation != ServeIdentity {
		return fmt.Errorf("servery: OnSaturation: %d is neither Reject nor ServeIdentity", o.OnSaturation)
	}
	for i, coding := range o.Sidecars {
		if sidecar.Extension(coding) == "" {
			return fmt.Errorf("servery: Sidecars: %q is none of the codings zstd, br and gzip", coding)
		}
		if slices.Contains(o.Sidecars[:i], coding) {
			return fmt.Errorf("servery: Sidecars: %q is there twice", coding)
		}
	}
	return nil
}

// withDefaults returns a copy that owns all that it points to.
func (o *FileServerOptions) withDefaults() FileServerOptions {
	var c FileServerOptions
	if o != nil {
		c = *o
	}
	c.Index = slices.Clone(c.Index)
	if c.Index == nil {
		c.Index = []string{"index.html"}
	}
	c.MediaTypes = maps.Clone(c.MediaTypes)
	c.SmallFileBuffer = orDefault(c.SmallFileBuffer, defaultSmallFileBuffer)
	c.HotBytes = max(orDefault(c.HotBytes, defaultHotBytes), 0)
	c.ContentETagMax = orDefault(c.ContentETagMax, defaultContentETagMax)
	c.Ranges = max(orDefault(c.Ranges, defaultRanges), 0)
	c.withCodingDefaults()
	if c.CacheControl == nil {
		c.CacheControl = Immutable()
	}
	return c
}

func (o *FileServerOptions) withCodingDefaults() {
	o.Encoders = slices.Clone(o.Encoders)
	if o.Encoders == nil {
		o.Encoders = DefaultEncoders()
	}
	o.Sidecars = slices.Clone(o.Sidecars)
	o.MinSize = max(orDefault(o.MinSize, defaultMinSize), 0)
	o.MaxCompressSize = orDefault(o.MaxCompressSize, defaultMaxCompressSize)
	o.OffloadThreshold = orDefault(o.OffloadThreshold, defaultThreshold)
	if o.Compressible == nil {
		o.Compressible = DefaultCompressible
	}
	if o.Cache == nil {
		o.Cache = NewCompressionCache(defaultCacheBytes)
	}
	if o.Limiter == nil {
		o.Limiter = NewLimiter(LimiterOptions{})
	}
}

func orDefault[T int | int64](value, standard T) T {
	if value == 0 {
		return standard
	}
	return value
}
