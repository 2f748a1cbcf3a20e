package tickreel

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
)

// Jobs follows render jobs and runs them again.
type Jobs struct{ api API }

// JobProgress is the state of a job that is followed.
type JobProgress struct {
	Status JobStatus
	// Progress is 0 to 1 of the whole job, with three decimals, and 1 when it is done; nil while no host works on it,
	// after it has failed, or if only its status could be polled.
	Progress *float64
	// Attempt counts since it was last queued; nil if only its status could be polled.
	Attempt *int64
	// ErrorCode is empty unless its last attempt failed.
	ErrorCode JobErrorCode
	// Queue says why it waits; only if it is included, and nil unless it waits.
	Queue *QueuePlace
}

// Get reads a job. include adds fields: diagnosis, attempts, progress, queue, renderer.
func (j Jobs) Get(ctx context.Context, jobID string, include ...string) (*Job, error) {
	return j.api.GetJob(ctx, jobID, GetJobQuery{Include: including(include)})
}

// List lists jobs, newest first.
func (j Jobs) List(ctx context.Context, query ListJobsQuery) *List[JobSummary] {
	return listOf(query.Cursor, func(cursor string) ([]JobSummary, string, error) {
		query.Cursor = cursor
		page, err := j.api.ListJobs(ctx, query)
		if err != nil {
			return nil, "", err
		}
		return page.Jobs, page.NextCursor, nil
	})
}

// Watch follows a job to its outcome: it calls each with the present state, then with each change, never twice with the
// same. It reads events and reconnects when they break, and polls if no events arrive. It retries during outages, and
// returns the error of the context, of the service if that refuses, or of each. include may name queue.
func (j Jobs) Watch(ctx context.Context, jobID string, each func(JobProgress) error, include ...string) error {
	return j.follow(ctx, jobID, including(include), each)
}

// Wait follows a job and returns it once it has an outcome, whichever it is, with its diagnosis. onProgress is called
// at each change, and may be nil. It retries during outages, and fails when the service refuses.
func (j Jobs) Wait(ctx context.Context, jobID string, onProgress func(JobProgress)) (*Job, error) {
	for {
		err := j.follow(ctx, jobID, "", func(progress JobProgress) error {
			if onProgress != nil {
				onProgress(progress)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		job, err := j.api.patient().GetJob(ctx, jobID, GetJobQuery{Include: "diagnosis"})
		// Another client may have queued it again meanwhile.
		if err != nil || isFinished(job.Status) {
			return job, err
		}
	}
}

// Cancel cancels an unfinished job: it ends in error with the code canceled.
func (j Jobs) Cancel(ctx context.Context, jobID string) (*JobRef, error) {
	return j.api.CancelJob(ctx, jobID)
}

// Resubmit runs a job again in place.
func (j Jobs) Resubmit(ctx context.Context, jobID string) (*JobRef, error) {
	return j.api.ResubmitJob(ctx, jobID)
}

// ResendWebhook sends its outcome webhook again.
func (j Jobs) ResendWebhook(ctx context.Context, jobID string) (*DeliveryRef, error) {
	return j.api.ResendWebhook(ctx, jobID)
}

// Deliveries returns its webhooks with each attempt.
func (j Jobs) Deliveries(ctx context.Context, jobID string) (*DeliveryList, error) {
	return j.api.ListDeliveries(ctx, jobID)
}

// How many streams have to break before a job is only polled, because a proxy lets no stream through.
const brokenStreams = 3

func isFinished(status JobStatus) bool { return status == JobStatusDone || status == JobStatusError }

func (j Jobs) follow(ctx context.Context, jobID, include string, each func(JobProgress) error) error {
	query := GetJobQuery{Include: include}
	var last *JobProgress
	lastID := ""
	// report passes on what is new.
	report := func(now JobProgress) error {
		if isKnown(now, last) {
			return nil
		}
		last = &now
		return each(now)
	}
	once := *j.api.t
	once.maxRetries = 0
	for broken := 0; ; {
		if broken < brokenStreams {
			received := 0
			isOver := false
			err := noticesOf(ctx, &once, jobID, query, &lastID, func(notice JobNotice) error {
				// Each connection begins with the present state, so only a later event shows that events arrive.
				if received++; received > 1 {
					broken = 0
				}
				now := progressOf(notice, &notice.Attempt)
				isOver = isFinished(now.Status)
				if err := report(now); err != nil {
					return stopped{err}
				}
				if isOver {
					return io.EOF
				}
				return nil
			})
			var stop stopped
			if errors.As(err, &stop) {
				return stop.error
			}
			if isOver {
				return nil
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			var refused *Error
			if errors.As(err, &refused) && !refused.Transient() {
				return err
			}
		}
		job, err := j.api.patient().GetJob(ctx, jobID, query)
		if err != nil {
			return err
		}
		now := progressOf(JobNotice{Status: job.Status, ErrorCode: job.ErrorCode, Queue: job.Queue}, nil)
		if err := report(now); err != nil || isFinished(now.Status) {
			return err
		}
		if err := sleep(ctx, backOff(broken)); err != nil {
			return err
		}
		broken++
	}
}

// noticesOf calls each with the events of a job. If the outcome was sent before, the service answers with an empty
// stream.
func noticesOf(
	ctx context.Context, t *transport, jobID string, query GetJobQuery, lastID *string, each func(JobNotice) error,
) error {
	body, err := t.open(ctx, request{
		method: "GET", path: "/api/jobs/" + segment(jobID) + "/events", query: query, header: lastEventID(*lastID),
	})
	if err != nil {
		return err
	}
	defer body.Close()
	return readEvents(body, body.cancel, silence, func(event streamEvent) error {
		if event.data == nil {
			return nil
		}
		if event.id != "" {
			*lastID = event.id
		}
		var notice JobNotice
		if err := json.Unmarshal([]byte(strings.Join(event.data, "\n")), &notice); err != nil {
			return err
		}
		return each(notice)
	})
}

func progressOf(notice JobNotice, attempt *int64) JobProgress {
	progress := notice.Progress
	if notice.Status == JobStatusDone {
		progress = Float(1)
	}
	if progress != nil {
		progress = Float(math.Round(*progress*1000) / 1000)
	}
	return JobProgress{notice.Status, progress, attempt, notice.ErrorCode, notice.Queue}
}

// isKnown says whether a state has nothing that the one before it lacks.
func isKnown(now JobProgress, last *JobProgress) bool {
	if last == nil || now.Status != last.Status || now.ErrorCode != last.ErrorCode {
		return false
	}
	if now.Queue != nil && !reflect.DeepEqual(now.Queue, last.Queue) {
		return false
	}
	return (now.Attempt == nil || (last.Attempt != nil && *now.Attempt == *last.Attempt)) &&
		(now.Progress == nil || (last.Progress != nil && *now.Progress == *last.Progress))
}
