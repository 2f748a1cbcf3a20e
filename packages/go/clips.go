package tickreel

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Clips makes clips and keeps them.
type Clips struct {
	api    API
	jobs   Jobs
	public *transport
}

// Submitted is a submitted job.
type Submitted struct {
	JobID string
	// Replayed: a job with your idempotency key existed.
	Replayed bool
	// BodyDiffers: that job was submitted with another request.
	BodyDiffers bool
}

// RenderOptions are options of Render.
type RenderOptions struct {
	// OnProgress is called at each change of the job.
	OnProgress func(jobID string, progress JobProgress)
	// CancelJob cancels the job as well if the context is canceled. Render then returns once the job is canceled.
	CancelJob bool
}

// Submit queues a job. It adds an idempotency key if there is none, so that the request can be repeated if the answer
// is lost.
func (c Clips) Submit(ctx context.Context, body SubmitRequest) (*Submitted, error) {
	hasOwnKey := body.IdempotencyKey != ""
	if !hasOwnKey {
		body.IdempotencyKey = newKey()
	}
	var submitted *Submitted
	r := request{method: "POST", path: "/api/clips", body: body, repeatable: true}
	err := c.api.t.send(ctx, r, func(response *http.Response) error {
		var job JobRef
		if err := json.NewDecoder(response.Body).Decode(&job); err != nil {
			return err
		}
		submitted = &Submitted{
			JobID: job.JobID,
			// If this call made the key, an existing job is one whose answer was lost.
			Replayed:    hasOwnKey && response.StatusCode != http.StatusCreated,
			BodyDiffers: response.Header.Get("Idempotency-Body-Differs") == "true",
		}
		return nil
	})
	return submitted, err
}

// SubmitBatch queues up to 50 jobs at once. Each uses the fields of defaults that it does not have. A refused one does
// not affect the others: there is a result for each, in order.
func (c Clips) SubmitBatch(ctx context.Context, requests []SubmitRequest, defaults SubmitRequest) ([]BatchResult, error) {
	shared, err := fieldsOf(defaults)
	if err != nil {
		return nil, err
	}
	body := BatchRequest{Defaults: shared}
	for _, one := range requests {
		if one.IdempotencyKey == "" {
			one.IdempotencyKey = newKey()
		}
		fields, err := fieldsOf(one)
		if err != nil {
			return nil, err
		}
		body.Clips = append(body.Clips, fields)
	}
	r := request{method: "POST", path: "/api/clips/batch", body: body, repeatable: true}
	answered, err := answer[BatchAnswer](ctx, c.api.t, r)
	if err != nil {
		return nil, err
	}
	for i := range answered.Results {
		index := answered.Results[i].Index
		if index < 0 || index >= int64(len(requests)) || requests[index].IdempotencyKey == "" {
			answered.Results[i].Replayed = false
		}
	}
	return answered.Results, nil
}

// fieldsOf returns the fields of a submit that are given.
func fieldsOf(body SubmitRequest) (map[string]any, error) {
	text, err := encodeJSON(body)
	if err != nil {
		return nil, err
	}
	// The service keeps extras as they are written.
	var written map[string]json.RawMessage
	if err := json.Unmarshal(text, &written); err != nil {
		return nil, err
	}
	if body.DemoURL == "" {
		delete(written, "demo_url")
	}
	fields := map[string]any{}
	for name, value := range written {
		fields[name] = value
	}
	return fields, nil
}

// Plan returns the shots of a clip, its seconds and maybe its price. It creates no job. The demo has to be inspected.
func (c Clips) Plan(ctx context.Context, body SubmitRequest) (*Plan, error) {
	return c.api.PlanClip(ctx, body)
}

// Render queues a job, follows it, and returns its clip. It fails with a *JobFailed if the job fails, and with an
// *Error of the kind timed_out at the deadline of the context; the job then continues without the caller. options may
// be nil.
func (c Clips) Render(ctx context.Context, body SubmitRequest, options *RenderOptions) (*Clip, error) {
	if options == nil {
		options = &RenderOptions{}
	}
	jobID := ""
	begun := time.Now()
	clip, err := c.render(ctx, body, *options, &jobID)
	if err == nil || ctx.Err() == nil {
		return clip, err
	}
	if deadline, ok := ctx.Deadline(); ok && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		name := "The job was not queued"
		if jobID != "" {
			name = "Job " + jobID + " has not finished"
		}
		seconds := deadline.Sub(begun).Round(10 * time.Millisecond).Seconds()
		return nil, newError("timed_out", fmt.Sprintf("%s within %g s.", name, seconds), ctx.Err())
	}
	if options.CancelJob && jobID != "" {
		_, _ = c.jobs.Cancel(detached{ctx}, jobID)
	}
	return nil, err
}

func (c Clips) render(ctx context.Context, body SubmitRequest, options RenderOptions, jobID *string) (*Clip, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	submitContext := ctx
	if options.CancelJob {
		// Without its answer, the job could not be canceled.
		submitContext = detached{ctx}
	}
	submitted, err := c.Submit(submitContext, body)
	if err != nil {
		return nil, err
	}
	*jobID = submitted.JobID
	job, err := c.jobs.Wait(ctx, submitted.JobID, func(progress JobProgress) {
		if options.OnProgress != nil {
			options.OnProgress(submitted.JobID, progress)
		}
	})
	if err != nil {
		return nil, err
	}
	if job.ClipID == "" {
		return nil, jobFailed(job)
	}
	return c.api.patient().GetClip(ctx, job.ClipID, GetClipQuery{})
}

// detached is a context with the values of another, which does not end with it.
type detached struct{ values context.Context }

func (detached) Deadline() (time.Time, bool) { return time.Time{}, false }
func (detached) Done() <-chan struct{}       { return nil }
func (detached) Err() error                  { return nil }
func (d detached) Value(key any) any         { return d.values.Value(key) }

// Get reads a clip. include adds fields: urls, expiry, renderer.
func (c Clips) Get(ctx context.Context, clipID string, include ...string) (*Clip, error) {
	return c.api.GetClip(ctx, clipID, GetClipQuery{Include: including(include)})
}

// List lists clips, newest first.
func (c Clips) List(ctx context.Context, query ListClipsQuery) *List[Clip] {
	return listOf(query.Cursor, func(cursor string) ([]Clip, string, error) {
		query.Cursor = cursor
		page, err := c.api.ListClips(ctx, query)
		if err != nil {
			return nil, "", err
		}
		return page.Clips, page.NextCursor, nil
	})
}

// Save keeps a clip until it is unsaved or deleted.
func (c Clips) Save(ctx context.Context, clipID string) error { return c.api.SaveClip(ctx, clipID) }

// Unsave lets a clip expire.
func (c Clips) Unsave(ctx context.Context, clipID string) error { return c.api.UnsaveClip(ctx, clipID) }

// Delete deletes the files of a clip for good.
func (c Clips) Delete(ctx context.Context, clipID string) error { return c.api.DeleteClip(ctx, clipID) }

// Views returns how often it was watched, by day.
func (c Clips) Views(ctx context.Context, clipID string) (*ClipViews, error) {
	return c.api.GetClipViews(ctx, clipID)
}

// URLs returns the public addresses of a clip. They need no key.
func (c Clips) URLs(clipID string) ClipURLs {
	page := c.api.t.baseURL + "/clips/" + segment(clipID)
	return ClipURLs{Page: page, Embed: page + "/embed", Video: page + "/video.mp4", Thumbnail: page + "/thumbnail.jpg"}
}

// EmbedHTML returns the iframe that shows a clip on another page, so many pixels wide, or 960 for 0. title names it for
// screen readers.
func (c Clips) EmbedHTML(clipID string, width int, title string) string {
	if width == 0 {
		width = 960
	}
	if title = strings.Join(strings.Fields(title), " "); title == "" {
		title = "Clip"
	}
	return fmt.Sprintf(
		`<iframe src="%s" width="%d" height="%d" title="%s" frameborder="0" allow="autoplay; fullscreen" allowfullscreen loading="lazy"></iframe>`,
		html.EscapeString(c.URLs(clipID).Embed), width, (width*9+8)/16, html.EscapeString(title),
	)
}

// Download returns the MP4, which the caller closes. Reading fails if nothing arrives for the timeout of an attempt.
func (c Clips) Download(ctx context.Context, clipID string) (io.ReadCloser, error) {
	body, err := c.public.open(ctx, request{
		method: "GET", path: "/clips/" + segment(clipID) + "/video.mp4", repeatable: true,
	})
	if err != nil {
		return nil, err
	}
	return &timedBody{body, c.public.timeout}, nil
}

// timedBody fails if a read takes too long.
type timedBody struct {
	*openBody
	longest time.Duration
}

func (b *timedBody) Read(into []byte) (int, error) {
	silent := time.AfterFunc(b.longest, b.cancel)
	read, err := b.ReadCloser.Read(into)
	if err != nil && err != io.EOF && !silent.Stop() {
		err = timedOut(b.longest)
	}
	silent.Stop()
	return read, err
}

// DownloadTo saves the MP4 as a file. A download that breaks leaves an existing file unchanged. It writes directly to
// anything that is not a regular file, such as /dev/stdout.
func (c Clips) DownloadTo(ctx context.Context, clipID, path string) (err error) {
	body, err := c.Download(ctx, clipID)
	if err != nil {
		return err
	}
	defer body.Close()
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		out, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer out.Close()
		_, err = io.Copy(out, body)
		return err
	}
	draft, err := os.OpenFile(path+"."+newKey()+".part", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	_, err = io.Copy(draft, body)
	if failure := draft.Close(); err == nil {
		err = failure
	}
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("tickreel: %s is not saved: %w", path, err)
	}
	return nil
}

// Submit returns the request of a clip of this highlight. Fields may be added to it.
func (h DemoHighlight) Submit() SubmitRequest {
	r := h.Request
	return SubmitRequest{DemoURL: r.DemoURL, Steam64ID: r.Steam64ID, Round: r.Round, Timeline: r.Timeline}
}

// Submit returns the request of a clip of the best highlights. Fields may be added to it.
func (r DemoMatchBestOf) Submit() SubmitRequest {
	return SubmitRequest{DemoURL: r.DemoURL, Steam64ID: r.Steam64ID, Round: r.Round, Timeline: r.Timeline}
}

// newKey makes an idempotency key: 128 random bits in hexadecimal.
func newKey() string {
	var bits [16]byte
	if _, err := rand.Read(bits[:]); err != nil {
		panic(err)
	}
	return hex.EncodeToString(bits[:])
}
