package main

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"servery"
)

// stats collects what a cache and a limiter tell of themselves, when it is asked for.
type stats struct {
	cache   *servery.CompressionCache
	limiter *servery.Limiter
}

// Describe is that of a [prometheus.Collector].
func (s stats) Describe(descs chan<- *prometheus.Desc) { prometheus.DescribeByCollect(s, descs) }

// Collect is that of a [prometheus.Collector].
func (s stats) Collect(metrics chan<- prometheus.Metric) {
	tell := func(kind prometheus.ValueType, name, help string, value float64) {
		desc := prometheus.NewDesc("servery_"+name, help, nil, nil)
		metrics <- prometheus.MustNewConstMetric(desc, kind, value)
	}
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue

	cache := s.cache.Stats()
	tell(counter, "cache_hits_total", "Bodies that were held already.", float64(cache.Hits))
	tell(counter, "cache_misses_total", "Bodies that were not held.", float64(cache.Misses))
	tell(counter, "cache_joined_total", "Misses that shared another's work.", float64(cache.Joined))
	tell(counter, "cache_evictions_total", "Bodies that made room for others.", float64(cache.Evictions))
	tell(counter, "cache_cancelled_total", "Makings that all who asked had left.", float64(cache.Cancelled))
	tell(counter, "cache_failed_total", "Makings that failed, for want of a slot as well.", float64(cache.Failed))
	tell(gauge, "cache_bytes", "Bytes that are held, with overhead.", float64(cache.Bytes))
	tell(gauge, "cache_entries", "Bodies that are held.", float64(cache.Entries))
	tell(gauge, "cache_flights", "Bodies that are being made or wait for it.", float64(cache.Flights))

	limiter := s.limiter.Stats()
	tell(counter, "limiter_completed_total", "Compressions that had their slot.", float64(limiter.Completed))
	tell(counter, "limiter_rejected_total", "Compressions that were turned away.", float64(limiter.Rejected))
	tell(counter, "limiter_cancelled_total", "Compressions that nobody waited for any more.", float64(limiter.Cancelled))
	tell(gauge, "limiter_active", "Compressions that run.", float64(limiter.Active))
	tell(gauge, "limiter_queued", "Compressions that wait.", float64(limiter.Queued))
	tell(gauge, "limiter_high_water", "The most large compressions at one moment.", float64(limiter.HighWater))
	tell(gauge, "limiter_streams", "Responses of Compress that have an encoder.", float64(limiter.Streams))
}

// metrics are fed by the Observe of any number of handlers.
type metrics struct {
	responses       *prometheus.CounterVec
	plain, coded    *prometheus.CounterVec
	encoded, waited *prometheus.HistogramVec
}

// newMetrics registers metrics whose labels have few values: an Outcome's texts are
// fixed, and of the status there is the class.
func newMetrics(registry prometheus.Registerer) metrics {
	seconds := prometheus.ExponentialBuckets(0.0001, 4, 9) // to 6.5 s
	m := metrics{
		responses: counts("responses_total", "Responses.", "handler", "status", "coding", "uncoded", "body"),
		plain:     counts("plain_bytes_total", "Bytes of the bodies that were sent in a coding, without it.", "handler", "coding"),
		coded:     counts("coded_bytes_total", "Bytes of the bodies that were sent in a coding, in it.", "handler", "coding"),
		encoded:   times("encoding_seconds", "Time that encoding took, by the responses that caused it.", seconds, "handler"),
		waited:    times("waiting_seconds", "Time in queues and for what others encoded, where there was any.", seconds, "handler"),
	}
	registry.MustRegister(m.responses, m.plain, m.coded, m.encoded, m.waited)
	return m
}

func counts(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "servery", Name: name, Help: help}, labels)
}

func times(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	opts := prometheus.HistogramOpts{Namespace: "servery", Name: name, Help: help, Buckets: buckets}
	return prometheus.NewHistogramVec(opts, labels)
}

// observe returns an Observe for the handler with this name.
func (m metrics) observe(handler string) func(*http.Request, servery.Outcome) {
	return func(_ *http.Request, out servery.Outcome) {
		class := strconv.Itoa(out.Status/100) + "xx" // 0xx where no status is known
		m.responses.WithLabelValues(handler, class, out.Coding, string(out.Uncoded), string(out.Body)).Inc()
		if out.Coding != "" {
			m.plain.WithLabelValues(handler, out.Coding).Add(float64(out.PlainSize))
			m.coded.WithLabelValues(handler, out.Coding).Add(float64(out.CodedSize))
		}
		if out.Encoded > 0 {
			m.encoded.WithLabelValues(handler).Observe(out.Encoded.Seconds())
		}
		if out.Waited > 0 {
			m.waited.WithLabelValues(handler).Observe(out.Waited.Seconds())
		}
	}
}
