// Package tickreel is a client of a Tickreel service, which renders moments of Counter-Strike 2 matches into clips. It
// uses the standard library alone.
//
//	client, err := tickreel.New(tickreel.WithAPIKey("tr_met_…"), tickreel.WithURL("https://tickreel.example.com"))
//	clip, err := client.Clips.Render(ctx, tickreel.SubmitRequest{DemoURL: "…", Steam64ID: "…", Round: tickreel.Int(7)}, nil)
//
// Every call takes a context, which ends the call and the waits between its attempts. Fields of requests that may be
// left out are pointers, for which Int, Float and Bool make values, or texts and lists that are left out while empty.
// Where the service answers null, a text is empty and everything else is nil.
package tickreel

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
)

// Client makes the calls of one account. Any number of goroutines may use it.
type Client struct {
	Clips    Clips
	Jobs     Jobs
	Demos    Demos
	Uploads  Uploads
	Rules    Rules
	Assets   Assets
	Viewing  ViewingSettings
	Webhooks AccountWebhooks
	// API has each operation of the service by its name in the reference.
	API API
}

// Option is a setting of New.
type Option func(*settings)

type settings struct {
	transport
	key     string
	secrets []string
}

// WithAPIKey sets one of the account's API keys; default TICKREEL_API_KEY of the environment.
func WithAPIKey(key string) Option { return func(s *settings) { s.key = key } }

// WithURL sets the address of the service; default TICKREEL_URL of the environment.
func WithURL(address string) Option { return func(s *settings) { s.baseURL = address } }

// WithTimeout sets how long one attempt of a call may take; default 60 s.
func WithTimeout(timeout time.Duration) Option { return func(s *settings) { s.timeout = timeout } }

// WithMaxRetries sets how often a call is retried after a transient error; default 4.
func WithMaxRetries(retries int) Option { return func(s *settings) { s.maxRetries = retries } }

// WithHTTPClient sets the client that sends the requests, which follows no redirects. Its Timeout also ends downloads
// and streams of events.
func WithHTTPClient(client *http.Client) Option { return func(s *settings) { s.http = client } }

// WithWebhookSecret sets the secrets that Webhooks checks signatures with: several while one replaces another. The
// default is TICKREEL_WEBHOOK_SECRET of the environment.
func WithWebhookSecret(secrets ...string) Option { return func(s *settings) { s.secrets = secrets } }

var (
	webScheme  = regexp.MustCompile(`^https?$`)
	keyPattern = regexp.MustCompile(`^[ -~]+$`)
)

// New creates a client. It fails if the address or the key is missing or malformed.
func New(options ...Option) (*Client, error) {
	s := settings{
		transport: transport{
			baseURL: os.Getenv("TICKREEL_URL"), timeout: time.Minute, maxRetries: 4, http: &http.Client{},
		},
		key: os.Getenv("TICKREEL_API_KEY"),
	}
	for _, set := range options {
		set(&s)
	}
	s.baseURL = strings.TrimRight(s.baseURL, "/")
	if s.baseURL == "" {
		return nil, errors.New("tickreel: give WithURL, or set TICKREEL_URL in the environment")
	}
	if address, err := url.Parse(s.baseURL); err != nil || address.Host == "" || !webScheme.MatchString(address.Scheme) {
		return nil, errors.New("tickreel: the address has to begin with http:// or https:// and a host")
	}
	s.key = strings.TrimSpace(s.key)
	if s.key == "" {
		return nil, errors.New("tickreel: give WithAPIKey, or set TICKREEL_API_KEY in the environment")
	}
	if !keyPattern.MatchString(s.key) {
		return nil, errors.New("tickreel: the API key has characters that no key has")
	}
	// A redirected POST would become a GET.
	unredirected := http.Client{}
	if s.http != nil {
		unredirected = *s.http
	}
	unredirected.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.http = &unredirected
	public := s.transport
	private := s.transport
	private.token = s.key
	direct := s.transport
	direct.baseURL = ""
	api := API{&private}
	jobs := Jobs{api}
	return &Client{
		Clips:    Clips{api, jobs, &public},
		Jobs:     jobs,
		Demos:    Demos{api},
		Uploads:  Uploads{api, &direct},
		Rules:    Rules{api},
		Assets:   Assets{api},
		Viewing:  ViewingSettings{api},
		Webhooks: AccountWebhooks{NewWebhooks(s.secrets...), api},
		API:      api,
	}, nil
}

// Events calls each with every change of every job of the account, until the context ends, each returns an error, or
// the service refuses; it returns that error. It reconnects after a broken stream or an outage, and continues after the
// last change. after is the ID of the last known change; if it is empty, only new changes are sent.
func (c *Client) Events(ctx context.Context, after string, each func(JobChange) error) error {
	return accountEvents(ctx, c.API, after, each)
}

// Usage returns what was rendered in a span of time.
func (c *Client) Usage(ctx context.Context, query GetUsageQuery) (*Usage, error) {
	return c.API.GetUsage(ctx, query)
}

// Int returns a pointer to a number, for a field that may be left out.
func Int(value int64) *int64 { return &value }

// Float returns a pointer to a number, for a field that may be left out.
func Float(value float64) *float64 { return &value }

// Bool returns a pointer to a truth value, for a field that may be left out.
func Bool(value bool) *bool { return &value }
