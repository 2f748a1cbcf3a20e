package tickreel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func clientOf(t *testing.T, handler http.HandlerFunc, options ...Option) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := New(append([]Option{WithURL(server.URL + "/"), WithAPIKey("tr_met_1")}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	real := sleep
	sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	t.Cleanup(func() { sleep = real })
	return client
}

func TestNewNeedsAddressAndKey(t *testing.T) {
	t.Setenv("TICKREEL_URL", "")
	t.Setenv("TICKREEL_API_KEY", "")
	if _, err := New(WithAPIKey("k")); err == nil || !strings.Contains(err.Error(), "TICKREEL_URL") {
		t.Error(err)
	}
	if _, err := New(WithURL("http://127.0.0.1")); err == nil || !strings.Contains(err.Error(), "TICKREEL_API_KEY") {
		t.Error(err)
	}
	for _, address := range []string{"tickreel.example.com", "localhost:8787", "https://", "http://%"} {
		if _, err := New(WithURL(address), WithAPIKey("k")); err == nil || !strings.Contains(err.Error(), "http://") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestRequestWithoutJSONIsNotRetried(t *testing.T) {
	client := clientOf(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	_, err := client.Clips.Submit(context.Background(), SubmitRequest{Extras: math.NaN()})
	var unsupported *json.UnsupportedValueError
	if !errors.As(err, &unsupported) {
		t.Error(err)
	}
}

func TestDownloadEndsASilentConnection(t *testing.T) {
	over := make(chan struct{})
	client := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "an")
		w.(http.Flusher).Flush()
		<-over
	}, WithTimeout(300*time.Millisecond))
	err := client.Clips.DownloadTo(context.Background(), "c-1", filepath.Join(t.TempDir(), "clip.mp4"))
	close(over)
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != "timed_out" {
		t.Error(err)
	}
}

func TestDownloadToADeviceWritesIntoIt(t *testing.T) {
	client := clientOf(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "an MP4") })
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/dev/fd/%d", write.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	if err := client.Clips.DownloadTo(context.Background(), "c-1", path); err != nil {
		t.Error(err)
	}
	write.Close()
	if text, _ := io.ReadAll(read); string(text) != "an MP4" {
		t.Errorf("%q", text)
	}
}

func TestReadEventsOfAnyLineEnd(t *testing.T) {
	stream := ": hello\r\nid: 1\rdata: a\ndata:b\n\nid: 2\n\n\ndata: lost"
	var got []streamEvent
	err := readEvents(strings.NewReader(stream), func() {}, time.Minute, func(event streamEvent) error {
		got = append(got, event)
		return nil
	})
	expected := []streamEvent{{[]string{"a", "b"}, "1"}, {nil, "2"}, {nil, "2"}}
	if err != nil || !reflect.DeepEqual(got, expected) {
		t.Errorf("%v %v", got, err)
	}
}

func TestReadEventsEndsASilentStream(t *testing.T) {
	silent, writer := io.Pipe()
	defer writer.Close()
	if readEvents(silent, func() { silent.Close() }, time.Millisecond, func(streamEvent) error { return nil }) == nil {
		t.Error("it ended without an error")
	}
}

func TestRetryAfter(t *testing.T) {
	for header, expected := range map[string]time.Duration{"3": 3 * time.Second, "": -1, "soon": -1, "-1": -1} {
		if got := retryAfter(header); got != expected {
			t.Errorf("%q: %v", header, got)
		}
	}
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if got := retryAfter(later); got < 59*time.Minute || got > time.Hour {
		t.Error(got)
	}
	if got := retryAfter("Fri, 01 Jan 2021 00:00:00 GMT"); got != 0 {
		t.Error(got)
	}
}

func TestQueryLeavesOutWhatIsNotGiven(t *testing.T) {
	query := encodeQuery(ListJobsQuery{Limit: Int(1_000_000), Status: "done"})
	if query != "limit=1000000&status=done" || encodeQuery(ListJobsQuery{}) != "" {
		t.Error(query)
	}
}

func TestBrokenDownloadLeavesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clip.mp4")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	isBroken := true
	client := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a public address got the key")
		}
		if isBroken {
			w.Header().Set("Content-Length", "100")
		}
		_, _ = io.WriteString(w, "an MP4")
	})
	if err := client.Clips.DownloadTo(context.Background(), "c-1", path); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "before" {
		t.Errorf("%q", text)
	}
	isBroken = false
	if err := client.Clips.DownloadTo(context.Background(), "c-1", path); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(path)
	files, _ := os.ReadDir(filepath.Dir(path))
	if string(text) != "an MP4" || len(files) != 1 {
		t.Errorf("%q %v", text, files)
	}
}

func TestErrorDoesNotShowASignedAddress(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	client := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":"u-1","state":"open","parts":[{"part":1,"bytes":1,"is_signed":true,"url":"`+
			closed.URL+`/part?X-Amz-Signature=secret"}]}`)
	})
	demo := DemoFile{Name: "a.dem", Content: strings.NewReader("a"), Size: 1}
	_, err := client.Uploads.Send(context.Background(), demo, nil)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

func TestWatchEndsWithTheErrorOfTheCaller(t *testing.T) {
	client := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: {\"status\":\"render\",\"progress\":0.12345,\"attempt\":1,\"error_code\":null}\n\n")
	})
	enough := errors.New("enough")
	err := client.Jobs.Watch(context.Background(), "j-1", func(now JobProgress) error {
		if now.Status != JobStatusRender || *now.Progress != 0.123 || *now.Attempt != 1 {
			t.Error(now)
		}
		return enough
	})
	if err != enough {
		t.Error(err)
	}
}

func TestEmbedHTMLEscapesItsTitle(t *testing.T) {
	client := clientOf(t, nil)
	html := client.Clips.EmbedHTML("c-1", 640, `"><script>`)
	if strings.Contains(html, "<script>") || !strings.Contains(html, `width="640" height="360"`) {
		t.Error(html)
	}
}
