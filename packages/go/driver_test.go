package tickreel

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"os"
	"testing"
	"time"
)

// TestMain is also the driver of the table of cases that all clients pass: test/clients/protocol.ts has its protocol.
// Examples need a service, and only run with TICKREEL_URL.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("TICKREEL_DRIVER") != "" {
		drive()
		return
	}
	if os.Getenv("TICKREEL_URL") == "" {
		_ = flag.Set("test.run", "^Test")
	}
	os.Exit(m.Run())
}

type task struct {
	Client struct {
		BaseURL       string   `json:"base_url"`
		APIKey        string   `json:"api_key"`
		Timeout       *float64 `json:"timeout_s"`
		MaxRetries    *int     `json:"max_retries"`
		WebhookSecret string   `json:"webhook_secret"`
		KeepsWaits    bool     `json:"keeps_waits"`
	}
	Call struct {
		Do, ID, After, Demo, Path, Name, Tag, Body string
		Request, Defaults                          SubmitRequest
		Requests                                   []SubmitRequest
		Query                                      json.RawMessage
		Timeout                                    *float64 `json:"timeout_s"`
		Interrupt, Insecure                        bool
		Include, Secrets                           []string
		Take                                       *int
		Headers                                    map[string]string
	}
}

type outcome struct {
	Value    any       `json:"value"`
	Error    any       `json:"error,omitempty"`
	Progress []any     `json:"progress"`
	Waits    []float64 `json:"waits"`
}

func drive() {
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	realSleep := sleep
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var t task
		if err := json.Unmarshal(line, &t); err != nil {
			panic(err)
		}
		done := outcome{Progress: []any{}, Waits: []float64{}}
		sleep = func(ctx context.Context, wait time.Duration) error {
			done.Waits = append(done.Waits, wait.Seconds())
			if t.Client.KeepsWaits {
				return realSleep(ctx, wait)
			}
			return ctx.Err()
		}
		value, failure := t.run(&done)
		if failure != nil {
			done.Error = describe(failure)
		} else {
			done.Value = withNulls(value)
		}
		if err := out.Encode(done); err != nil {
			panic(err)
		}
	}
}

func seconds(value float64) time.Duration { return time.Duration(value * float64(time.Second)) }

func (t task) run(done *outcome) (any, error) {
	// On a kept connection that breaks, net/http itself repeats a request that has no body, once and without a wait.
	connections := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	options := []Option{WithURL(t.Client.BaseURL), WithAPIKey(t.Client.APIKey), WithHTTPClient(connections)}
	if t.Client.Timeout != nil {
		options = append(options, WithTimeout(seconds(*t.Client.Timeout)))
	}
	if t.Client.MaxRetries != nil {
		options = append(options, WithMaxRetries(*t.Client.MaxRetries))
	}
	if t.Client.WebhookSecret != "" {
		options = append(options, WithWebhookSecret(t.Client.WebhookSecret))
	}
	client, err := New(options...)
	if err != nil {
		return nil, usage{err}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	call := t.Call
	progress := func(now JobProgress) {
		done.Progress = append(done.Progress, map[string]any{
			"status": now.Status, "progress": now.Progress, "attempt": now.Attempt, "error_code": orNull(string(now.ErrorCode)),
		})
	}
	switch call.Do {
	case "submit":
		submitted, err := client.Clips.Submit(ctx, call.Request)
		if err != nil {
			return nil, err
		}
		return map[string]any{
			"job_id": submitted.JobID, "replayed": submitted.Replayed, "body_differs": submitted.BodyDiffers,
		}, nil
	case "submit_batch":
		return client.Clips.SubmitBatch(ctx, call.Requests, call.Defaults)
	case "plan":
		return client.Clips.Plan(ctx, call.Request)
	case "render":
		if call.Timeout != nil {
			ctx, cancel = context.WithTimeout(ctx, seconds(*call.Timeout))
			defer cancel()
		}
		return client.Clips.Render(ctx, call.Request, &RenderOptions{
			CancelJob: call.Interrupt,
			OnProgress: func(_ string, now JobProgress) {
				progress(now)
				if call.Interrupt {
					cancel()
				}
			},
		})
	case "get_job":
		return client.Jobs.Get(ctx, call.ID, call.Include...)
	case "wait_job":
		return client.Jobs.Wait(ctx, call.ID, progress)
	case "resubmit_job":
		return client.Jobs.Resubmit(ctx, call.ID)
	case "cancel_job":
		return client.Jobs.Cancel(ctx, call.ID)
	case "save_clip":
		return nil, client.Clips.Save(ctx, call.ID)
	case "delete_clip":
		return nil, client.Clips.Delete(ctx, call.ID)
	case "list_jobs":
		var query ListJobsQuery
		_ = json.Unmarshal(call.Query, &query)
		return taken(client.Jobs.List(ctx, query), call.Take, func(job JobSummary) string { return job.ID })
	case "list_clips":
		var query ListClipsQuery
		_ = json.Unmarshal(call.Query, &query)
		return taken(client.Clips.List(ctx, query), call.Take, func(clip Clip) string { return clip.ID })
	case "events":
		changes := []any{}
		enough := errors.New("enough")
		err := client.Events(ctx, call.After, func(change JobChange) error {
			changes = append(changes, map[string]any{"id": change.ID, "job_id": change.Job.ID, "status": change.Job.Status})
			if len(changes) == *call.Take {
				return enough
			}
			return nil
		})
		if err != enough {
			return nil, err
		}
		return changes, nil
	case "inspect":
		return client.Demos.Inspect(ctx, call.Demo, nil)
	case "upload":
		file, err := os.Open(call.Path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		demo := DemoFile{Name: call.Name, Content: file, Size: info.Size(), Tag: call.Tag}
		return client.Uploads.Send(ctx, demo, func(arrived, total int64) { done.Progress = append(done.Progress, arrived) })
	case "download":
		return nil, client.Clips.DownloadTo(ctx, call.ID, call.Path)
	case "unwrap":
		webhooks := client.Webhooks.Webhooks
		if call.Secrets != nil {
			webhooks = NewWebhooks(call.Secrets...)
		}
		if call.Insecure {
			webhooks = InsecureWebhooks()
		}
		header := http.Header{}
		for name, value := range call.Headers {
			header.Set(name, value)
		}
		return webhooks.Unwrap([]byte(call.Body), header)
	}
	return nil, errors.New("unknown: " + call.Do)
}

// taken returns the ids of so many items of a list, or of all.
func taken[Item any](list *List[Item], most *int, id func(Item) string) (any, error) {
	ids := []string{}
	for (most == nil || len(ids) < *most) && list.Next() {
		ids = append(ids, id(list.Item()))
	}
	return ids, list.Err()
}

// usage is a mistake of the program.
type usage struct{ error }

func describe(err error) map[string]any {
	described := map[string]any{"class": "other", "message": err.Error()}
	for _, field := range []string{
		"code", "status", "request_id", "errors", "retry_after_s", "docs_url", "diagnosis", "is_transient",
	} {
		described[field] = nil
	}
	var mistake usage
	if errors.Is(err, ErrNoSecret) || errors.As(err, &mistake) {
		described["class"] = "usage"
	} else if errors.Is(err, context.Canceled) {
		described["class"] = "interrupted"
	}
	var failure *Error
	if !errors.As(err, &failure) {
		return described
	}
	described["class"] = "problem"
	if failure.Status == 0 {
		described["class"] = "no_answer"
	}
	if failure.Kind == "webhook_invalid" {
		described["class"] = "webhook_invalid"
	}
	described["message"] = failure.Message
	described["code"] = failure.Kind
	if failure.Status != 0 {
		described["status"] = failure.Status
	}
	described["request_id"] = orNull(failure.RequestID)
	if failure.Errors != nil {
		described["errors"] = failure.Errors
	}
	if failure.RetryAfter >= 0 {
		described["retry_after_s"] = failure.RetryAfter.Seconds()
	}
	described["docs_url"] = orNull(failure.DocsURL)
	described["is_transient"] = failure.Transient()
	var failed *JobFailed
	if errors.As(err, &failed) {
		described["class"] = "job_failed"
		if failed.Diagnosis != nil {
			described["diagnosis"] = withNulls(failed.Diagnosis)
		}
	}
	return described
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// withNulls returns a value as JSON. In Go, an empty text stands for null.
func withNulls(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	var plain any
	_ = json.Unmarshal(text, &plain)
	return eachNull(plain)
}

func eachNull(value any) any {
	switch value := value.(type) {
	case string:
		return orNull(value)
	case []any:
		for i := range value {
			value[i] = eachNull(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = eachNull(value[name])
		}
	}
	return value
}
