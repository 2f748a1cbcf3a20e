package tickreel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Content is a body that is no JSON.
type Content struct {
	// Type is its media type, such as image/png.
	Type string
	Size int64
	// Reader is read again by each attempt.
	Reader io.ReaderAt
}

// request is one request with what its attempts need.
type request struct {
	method, path string
	query        any
	// body is sent as JSON, or as it is if it is Content.
	body   any
	header http.Header
	// repeatable: it can be repeated without harm.
	repeatable bool
	// open: the caller reads the body after the call, and closes it.
	open bool
}

type transport struct {
	baseURL, token string
	timeout        time.Duration
	maxRetries     int
	http           *http.Client
}

const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
	// The longest wait that a service may ask for. After a longer one a call fails, unless its retries are unlimited.
	longestRetryAfter = 2 * time.Minute
	unlimited         = math.MaxInt
)

// patient returns the same calls, which are retried until the service answers or refuses.
func (a API) patient() API {
	t := *a.t
	t.maxRetries = unlimited
	return API{&t}
}

// slow returns the same calls with a timeout of ten minutes at least: parts are large, and at the end of an upload the
// service reads all of it.
func (t transport) slow() *transport {
	if t.timeout < 10*time.Minute {
		t.timeout = 10 * time.Minute
	}
	return &t
}

// send repeats a request until it succeeds, and reads its answer. It returns an *Error, or the error of the context.
func (t *transport) send(ctx context.Context, r request, read func(*http.Response) error) error {
	if _, isContent := r.body.(Content); r.body != nil && !isContent {
		text, err := encodeJSON(r.body)
		if err != nil {
			return err
		}
		r.body = Content{Type: "application/json", Size: int64(len(text)), Reader: bytes.NewReader(text)}
	}
	for retries := 0; ; retries++ {
		err := t.attempt(ctx, r, read)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if retries >= t.maxRetries || !mayRetry(r, err) {
			return err
		}
		if t.maxRetries != unlimited && err.RetryAfter > longestRetryAfter {
			return err
		}
		wait := backOff(retries)
		if err.RetryAfter > wait {
			wait = err.RetryAfter
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// mayRetry: a request that was refused with 429 has done nothing. Other errors may come after the work.
func mayRetry(r request, err *Error) bool {
	return err.Transient() && (r.repeatable || (err.Status == http.StatusTooManyRequests && err.RetryAfter >= 0))
}

func (t *transport) attempt(ctx context.Context, r request, read func(*http.Response) error) *Error {
	attempt, cancel := context.WithCancel(ctx)
	var late atomic.Bool
	timer := time.AfterFunc(t.timeout, func() { late.Store(true); cancel() })
	response, err := t.do(attempt, r)
	if err == nil {
		if r.open && response.StatusCode < 300 {
			timer.Stop()
			response.Body = &openBody{response.Body, cancel}
			err = read(response)
			if err == nil {
				return nil
			}
		} else if response.StatusCode >= 300 {
			err = errorOf(response)
		} else {
			err = read(response)
		}
		response.Body.Close()
	}
	timer.Stop()
	cancel()
	if err == nil {
		return nil
	}
	if late.Load() {
		return timedOut(t.timeout)
	}
	if known, ok := err.(*Error); ok {
		return known
	}
	// Its text has the whole address, which for a part of an upload is a secret.
	var failure *url.Error
	if errors.As(err, &failure) {
		err = failure.Err
	}
	return newError("not_reached", fmt.Sprintf("%s cannot be reached: %v", t.baseURL, err), err)
}

func (t *transport) do(ctx context.Context, r request) (*http.Response, error) {
	address := t.baseURL + r.path
	if query := encodeQuery(r.query); query != "" {
		address += "?" + query
	}
	var body io.Reader
	header := http.Header{}
	if content, ok := r.body.(Content); ok {
		body = io.NewSectionReader(content.Reader, 0, content.Size)
		header.Set("Content-Type", content.Type)
	}
	made, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, err
	}
	if content, ok := r.body.(Content); ok {
		made.ContentLength = content.Size
		if content.Size == 0 {
			made.Body = http.NoBody
		}
	}
	if t.token != "" {
		header.Set("Authorization", "Bearer "+t.token)
	}
	for name, values := range r.header {
		header[name] = values
	}
	made.Header = header
	return t.http.Do(made)
}

// openBody ends its attempt when it is closed.
type openBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *openBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// answer makes a call and parses its answer.
func answer[T any](ctx context.Context, t *transport, r request) (*T, error) {
	var parsed *T
	err := t.send(ctx, r, func(response *http.Response) error {
		parsed = new(T)
		return json.NewDecoder(response.Body).Decode(parsed)
	})
	if err != nil {
		return nil, err
	}
	return parsed, nil
}

// answerNothing makes a call whose answer has no body.
func answerNothing(ctx context.Context, t *transport, r request) error {
	return t.send(ctx, r, func(response *http.Response) error {
		_, err := io.Copy(io.Discard, response.Body)
		return err
	})
}

// open makes a call and returns its body, which the caller closes.
func (t *transport) open(ctx context.Context, r request) (body *openBody, err error) {
	r.open = true
	err = t.send(ctx, r, func(response *http.Response) error {
		body = response.Body.(*openBody)
		return nil
	})
	return body, err
}

// encodeJSON keeps texts as they are: json.Marshal writes < and & in a form for pages.
func encodeJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(text.Bytes()), err
}

// encodeQuery writes the fields of a struct as a query, without those that are left out.
func encodeQuery(query any) string {
	if query == nil {
		return ""
	}
	text, _ := json.Marshal(query)
	fields := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&fields)
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, fmt.Sprint(value))
	}
	return values.Encode()
}

// backOff is random over half of its length, so that many clients do not return at the same time.
func backOff(retries int) time.Duration {
	wait := longestWait
	if retries < 4 {
		wait = firstWait << retries
	}
	return time.Duration(float64(wait) * (0.5 + rand.Float64()/2))
}

// sleep is replaced by tests.
var sleep = func(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// segment writes an id as one segment of a path, which it cannot leave.
func segment(id string) string { return strings.ReplaceAll(url.QueryEscape(id), "+", "%20") }

func including(names []string) string { return strings.Join(names, ",") }
