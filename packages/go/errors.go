package tickreel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Error is each failure of a call, but for the end of its context.
//
//	var failure *tickreel.Error
//	if errors.As(err, &failure) && failure.Kind == "invalid_request" { … }
type Error struct {
	// Kind is the cause, for programs: the kind of problem (invalid_request, not_found, …: /docs/problems of the
	// service), not_reached and timed_out for a call without an answer, the error_code of a failed job, or
	// webhook_invalid. The list may grow.
	Kind    string
	Message string
	// Status is the HTTP status; 0 without an answer.
	Status int
	// RequestID names the request. Send it to the service's operator when you ask for help.
	RequestID string
	// Errors has each wrong field.
	Errors []FieldError
	// Problem is the service's answer; nil if there was none.
	Problem *Problem
	// RetryAfter is how long the service asks to wait; negative if it does not.
	RetryAfter time.Duration
	// DocsURL is the page of the service that explains Kind.
	DocsURL string
	cause   error
}

func (e *Error) Error() string { return "tickreel: " + e.Message }

// Unwrap returns the error of the network, if that was the cause.
func (e *Error) Unwrap() error { return e.cause }

// Transient says whether the same call may succeed later: the service did not answer, answered with 5xx, or asked to
// wait (429).
func (e *Error) Transient() bool {
	if e.Status == 0 {
		return e.Kind == "not_reached" || e.Kind == "timed_out"
	}
	return e.Status == 408 || e.Status == 429 || (e.Status >= 500 && e.Status != 501 && e.Status != 508)
}

// JobFailed is a job that ended without a clip. errors.As finds it, and an *Error whose Kind is the job's error_code.
type JobFailed struct {
	Job *Job
	// Diagnosis says why it failed, and what you can do; nil if the service did not say.
	Diagnosis *Diagnosis
	summary   *Error
}

func (e *JobFailed) Error() string { return e.summary.Error() }

// Unwrap returns an *Error with the error_code of the job.
func (e *JobFailed) Unwrap() error { return e.summary }

func newError(kind, message string, cause error) *Error {
	return &Error{Kind: kind, Message: message, RetryAfter: -1, cause: cause}
}

func timedOut(after time.Duration) *Error {
	text := fmt.Sprintf("The service did not answer within %g s.", after.Seconds())
	return newError("timed_out", text, context.DeadlineExceeded)
}

func jobFailed(job *Job) *JobFailed {
	kind := "error"
	text := fmt.Sprintf("Job %s failed: no error_code.", job.ID)
	if job.ErrorCode != "" {
		kind = string(job.ErrorCode)
		text = fmt.Sprintf("Job %s failed: %s.", job.ID, kind)
	}
	failed := &JobFailed{Job: job, Diagnosis: job.Diagnosis, summary: newError(kind, text, nil)}
	if job.Diagnosis != nil {
		failed.summary.Message += " " + job.Diagnosis.Summary
		failed.summary.DocsURL = job.Diagnosis.DocsURL
	}
	return failed
}

// errorOf returns the error of an answer that is not a success. A proxy may answer anything.
func errorOf(response *http.Response) error {
	err := newError(
		fmt.Sprintf("http_%d", response.StatusCode),
		fmt.Sprintf("The service answered %d.", response.StatusCode),
		nil,
	)
	err.Status = response.StatusCode
	err.RequestID = response.Header.Get("X-Request-Id")
	err.RetryAfter = retryAfter(response.Header.Get("Retry-After"))
	text, failure := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	var problem *Problem
	if failure != nil || json.Unmarshal(text, &problem) != nil || problem == nil {
		return err
	}
	if problem.Type == "" || problem.Title == "" || problem.Detail == "" {
		return err
	}
	err.Problem = problem
	err.Errors = problem.Errors
	err.DocsURL = problem.Type
	err.Message = problem.Detail
	if kind := problem.Type[strings.LastIndex(problem.Type, "#")+1:]; kind != "" {
		err.Kind = kind
	}
	if err.RequestID == "" {
		err.RequestID = problem.RequestID
	}
	if len(problem.Errors) > 0 {
		err.Message = problem.Title + ":"
		for _, wrong := range problem.Errors {
			path := wrong.Path
			if path == "" {
				path = "the body"
			}
			err.Message += fmt.Sprintf("\n  %s %s", path, wrong.Message)
		}
	}
	return err
}

var digits = regexp.MustCompile(`^\d+$`)

// retryAfter parses seconds or a date; negative for neither.
func retryAfter(header string) time.Duration {
	if digits.MatchString(header) {
		seconds, err := strconv.ParseInt(header, 10, 32)
		if err != nil {
			seconds = 1 << 31
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return -1
	}
	if wait := time.Until(date); wait > 0 {
		return wait
	}
	return 0
}
