package tickreel

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Webhooks checks and parses webhooks.
type Webhooks struct {
	secrets    []string
	isInsecure bool
}

// The most that clocks may differ. An older message may be replayed by an attacker.
const tolerance = 5 * time.Minute

// ErrNoSecret is the error of Unwrap without a secret.
var ErrNoSecret = errors.New("tickreel: give a webhook secret, or set TICKREEL_WEBHOOK_SECRET in the environment; " +
	"InsecureWebhooks takes unsigned webhooks")

// NewWebhooks creates a receiver of webhooks without a client. secrets are several while one replaces another; the
// default is TICKREEL_WEBHOOK_SECRET of the environment.
func NewWebhooks(secrets ...string) Webhooks {
	// An empty list is not nil, and signs nothing.
	if own := os.Getenv("TICKREEL_WEBHOOK_SECRET"); secrets == nil && own != "" {
		secrets = []string{own}
	}
	return Webhooks{secrets: secrets}
}

// InsecureWebhooks creates a receiver that takes unsigned webhooks: anybody who knows its address can send one.
func InsecureWebhooks() Webhooks { return Webhooks{isInsecure: true} }

// Unwrap checks who sent a webhook, by Standard Webhooks (https://www.standardwebhooks.com), and parses it. raw is the
// unchanged body, byte by byte. It fails with ErrNoSecret if there is no secret at all, and with an *Error of the kind
// webhook_invalid if the signature or the time is wrong, or the body is not a webhook of this service.
func (w Webhooks) Unwrap(raw []byte, header http.Header) (*WebhookEvent, error) {
	if !w.isInsecure {
		if err := w.check(raw, header); err != nil {
			return nil, err
		}
	}
	var event WebhookEvent
	if err := json.Unmarshal(raw, &event); err != nil {
		return nil, newError("webhook_invalid", "The body is no JSON of a webhook.", err)
	}
	if event.Event != "job.completed" && event.Event != "job.failed" {
		return nil, newError("webhook_invalid", "The body is no webhook.", nil)
	}
	return &event, nil
}

// DeliveryID returns the id by which to ignore a repeated webhook; empty without one.
func (Webhooks) DeliveryID(header http.Header) string { return header.Get("X-Service-Delivery-Id") }

var timestampPattern = regexp.MustCompile(`^\d{1,12}$`)

func (w Webhooks) check(raw []byte, header http.Header) error {
	if w.secrets == nil || (len(w.secrets) == 1 && w.secrets[0] == "") {
		return ErrNoSecret
	}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		if header.Get(name) == "" {
			text := "The header " + name + " is missing: the webhook is unsigned, or a proxy removed it."
			return newError("webhook_invalid", text, nil)
		}
	}
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	off := time.Since(time.Unix(seconds, 0))
	isRecent := timestampPattern.MatchString(timestamp) && off <= tolerance && off >= -tolerance
	for _, secret := range w.secrets {
		secret = strings.TrimSpace(secret)
		key, err := readBase64(strings.TrimPrefix(secret, "whsec_"))
		if !strings.HasPrefix(secret, "whsec_") || err != nil || len(key) < 24 {
			return newError("webhook_invalid", "This is no webhook secret: one begins with whsec_.", nil)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(raw)
		// There may be several, while a secret is being replaced.
		for i, entry := range strings.Split(header.Get("Webhook-Signature"), " ") {
			signature, err := readBase64(strings.TrimPrefix(entry, "v1,"))
			isSigned := err == nil && strings.HasPrefix(entry, "v1,") && hmac.Equal(signature, mac.Sum(nil))
			if i < 8 && isRecent && isSigned {
				return nil
			}
		}
	}
	return newError(
		"webhook_invalid", "The webhook is not signed under this secret, or its time is too far from now.", nil,
	)
}

// readBase64 parses text with or without padding.
func readBase64(text string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
}

// AccountWebhooks has further calls of an account: secrets, and tests of a receiver.
type AccountWebhooks struct {
	Webhooks
	api API
}

// Test posts an example of an outcome to a receiver, and returns its answer.
func (w AccountWebhooks) Test(ctx context.Context, test WebhookTest) (*WebhookTested, error) {
	return w.api.TestWebhook(ctx, test)
}

// Secrets lists the account's secrets.
func (w AccountWebhooks) Secrets(ctx context.Context) ([]WebhookSecret, error) {
	list, err := w.api.ListWebhookSecrets(ctx)
	if err != nil {
		return nil, err
	}
	return list.Secrets, nil
}

// CreateSecret creates a secret, which is returned only once. Webhooks of the account are then signed with it.
func (w AccountWebhooks) CreateSecret(ctx context.Context) (*WebhookSecretOnce, error) {
	return w.api.CreateWebhookSecret(ctx)
}

// DeleteSecret deletes a secret.
func (w AccountWebhooks) DeleteSecret(ctx context.Context, secretID string) error {
	return w.api.DeleteWebhookSecret(ctx, secretID)
}
