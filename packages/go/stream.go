package tickreel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// The service sends a comment every 15 seconds at least.
const silence = time.Minute

// streamEvent is one server-sent event. data is nil for one without data.
type streamEvent struct {
	data []string
	id   string
}

// readEvents calls each with the events of a stream, parsed by the HTML standard. It ends with the stream, or if the
// stream sends nothing, not even a comment, for longest: it then calls stop, which ends the stream. It also ends with
// the error of each.
func readEvents(body io.Reader, stop func(), longest time.Duration, each func(streamEvent) error) error {
	silent := time.AfterFunc(longest, stop)
	defer silent.Stop()
	lines := bufio.NewScanner(readerFunc(func(into []byte) (int, error) {
		read, err := body.Read(into)
		silent.Reset(longest)
		return read, err
	}))
	lines.Buffer(nil, 16<<20)
	lines.Split(splitLine)
	var event streamEvent
	for lines.Scan() {
		field, content, _ := strings.Cut(lines.Text(), ":")
		content = strings.TrimPrefix(content, " ")
		switch {
		case lines.Text() == "":
			if err := each(event); err != nil {
				return err
			}
			event.data = nil
		case field == "data":
			event.data = append(event.data, content)
		case field == "id":
			event.id = content
		}
	}
	return lines.Err()
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(into []byte) (int, error) { return f(into) }

// splitLine ends a line at CR, LF or both. An unfinished line at the end of a stream is dropped.
func splitLine(data []byte, atEOF bool) (int, []byte, error) {
	end := bytes.IndexAny(data, "\r\n")
	if end < 0 || (data[end] == '\r' && end+1 == len(data) && !atEOF) {
		if atEOF {
			return len(data), nil, nil
		}
		return 0, nil, nil
	}
	if data[end] == '\r' && end+1 < len(data) && data[end+1] == '\n' {
		return end + 2, data[:end], nil
	}
	return end + 1, data[:end], nil
}

// JobChange is a job of the account after a change.
type JobChange struct {
	// ID continues from here as Events' after.
	ID  string
	Job JobSummary
}

// stopped is an error of the caller's function, which ends a stream for good.
type stopped struct{ error }

func accountEvents(ctx context.Context, api API, last string, each func(JobChange) error) error {
	for broken := 0; ; broken++ {
		body, err := api.patient().t.open(ctx, request{
			method: "GET", path: "/api/events", header: lastEventID(last), repeatable: true,
		})
		if err != nil {
			return err
		}
		err = readEvents(body, body.cancel, silence, func(event streamEvent) error {
			if event.id != "" {
				last = event.id
			}
			if event.data == nil {
				return nil
			}
			broken = 0
			change := JobChange{ID: last}
			if err := json.Unmarshal([]byte(strings.Join(event.data, "\n")), &change.Job); err != nil {
				return err
			}
			if err := each(change); err != nil {
				return stopped{err}
			}
			return nil
		})
		body.Close()
		var stop stopped
		if errors.As(err, &stop) {
			return stop.error
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := sleep(ctx, backOff(broken)); err != nil {
			return err
		}
	}
}

func lastEventID(id string) http.Header {
	if id == "" {
		return nil
	}
	return http.Header{"Last-Event-Id": {id}}
}
