package tickreel

import (
	"context"
	"regexp"
	"time"
)

// Demos inspects demos: their players, rounds, kills and highlights.
type Demos struct{ api API }

var shareCode = regexp.MustCompile(`^(?:steam:\S*)?(CSGO(?:-\w{5}){5})$`)

// Inspect inspects a demo by its address or by the share code of a match, and returns once its State is ready or error.
// An earlier result is returned at once. onProgress is called with the demo each time that it is not ready yet, and may
// be nil.
func (d Demos) Inspect(ctx context.Context, demo string, onProgress func(Demo)) (*Demo, error) {
	body := InspectRequest{DemoURL: demo}
	if found := shareCode.FindStringSubmatch(demo); found != nil {
		body = InspectRequest{Source: &DemoSource{Kind: "steam", ShareCode: found[1]}}
	}
	begun, err := d.api.InspectDemo(ctx, body)
	return d.ended(ctx, begun, err, onProgress)
}

// Wait returns once the inspection of a demo has ended.
func (d Demos) Wait(ctx context.Context, demoID string, onProgress func(Demo)) (*Demo, error) {
	begun, err := d.api.GetDemo(ctx, demoID, GetDemoQuery{})
	return d.ended(ctx, begun, err, onProgress)
}

// Get reads an inspection. The query narrows its kills and highlights; BestOf writes a timeline of them.
func (d Demos) Get(ctx context.Context, demoID string, query GetDemoQuery) (*Demo, error) {
	return d.api.GetDemo(ctx, demoID, query)
}

// An inspection takes seconds, or longer while all hosts are busy.
func (d Demos) ended(ctx context.Context, demo *Demo, err error, onProgress func(Demo)) (*Demo, error) {
	for wait := 500 * time.Millisecond; err == nil && demo.State == "pending"; wait = wait * 3 / 2 {
		if onProgress != nil {
			onProgress(*demo)
		}
		if wait > 5*time.Second {
			wait = 5 * time.Second
		}
		if err = sleep(ctx, wait); err == nil {
			demo, err = d.api.patient().GetDemo(ctx, demo.ID, GetDemoQuery{})
		}
	}
	if err != nil {
		return nil, err
	}
	return demo, nil
}
