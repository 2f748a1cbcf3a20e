package tickreel_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"example.com/tickreel"
)

// The demo and the player of the examples; by default those of a test key.
var demoURL, player = environment("TICKREEL_DEMO", "https://demo.test/ok.dem"),
	environment("TICKREEL_PLAYER", "76561198000000001")

func environment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func ExampleClips_Render() {
	client, err := tickreel.New() // TICKREEL_URL and TICKREEL_API_KEY of the environment
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	request := tickreel.SubmitRequest{DemoURL: demoURL, Steam64ID: player, Round: tickreel.Int(1), FPS: tickreel.Int(5)}
	clip, err := client.Clips.Render(ctx, request, &tickreel.RenderOptions{
		OnProgress: func(jobID string, now tickreel.JobProgress) { log.Println(jobID, now.Status) },
	})
	if err != nil {
		log.Fatal(err)
	}
	log.Println(clip.Title, client.Clips.URLs(clip.ID).Page)
	fmt.Println(clip.State)
	// Output: ready
}

func ExampleClips_DownloadTo() {
	client, err := tickreel.New()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	clips := client.Clips.List(ctx, tickreel.ListClipsQuery{State: "ready", Limit: tickreel.Int(1)})
	if !clips.Next() {
		log.Fatal(clips.Err())
	}
	path := os.TempDir() + "/tickreel-example.mp4"
	defer os.Remove(path)
	if err := client.Clips.DownloadTo(ctx, clips.Item().ID, path); err != nil {
		log.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fmt.Sprint(info.Size()) == clips.Item().Size)
	// Output: true
}

func ExampleError() {
	client, err := tickreel.New()
	if err != nil {
		log.Fatal(err)
	}
	request := tickreel.SubmitRequest{DemoURL: demoURL, Steam64ID: player, FPS: tickreel.Int(1000)}
	_, err = client.Clips.Submit(context.Background(), request)
	var refused *tickreel.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Kind, refused.Status, refused.Errors[0].Path)
		log.Println(refused.RequestID)
	}
	// Output: invalid_request 400 fps
}

func ExampleJobFailed() {
	client, err := tickreel.New()
	if err != nil {
		log.Fatal(err)
	}
	missing := environment("TICKREEL_NO_DEMO", "https://demo.test/demo_404.dem")
	request := tickreel.SubmitRequest{DemoURL: missing, Steam64ID: player}
	_, err = client.Clips.Render(context.Background(), request, nil)
	var failed *tickreel.JobFailed
	if errors.As(err, &failed) {
		fmt.Println(failed.Job.ErrorCode, failed.Diagnosis.Retryable)
		log.Println(failed.Diagnosis.Summary)
	} else if err != nil {
		log.Fatal(err)
	}
	// Output: demo_404 false
}

func ExampleJobs_List() {
	client, err := tickreel.New()
	if err != nil {
		log.Fatal(err)
	}
	jobs := client.Jobs.List(context.Background(), tickreel.ListJobsQuery{Status: "done"})
	for jobs.Next() {
		fmt.Println(jobs.Item().Status)
		break
	}
	if jobs.Err() != nil {
		log.Fatal(jobs.Err())
	}
	// Output: done
}

func ExampleUploads_Send() {
	client, err := tickreel.New()
	if err != nil {
		log.Fatal(err)
	}
	path := os.TempDir() + "/tickreel-example.dem"
	defer os.Remove(path)
	if err := os.WriteFile(path, []byte("not a demo, but a file"), 0o600); err != nil {
		log.Fatal(err)
	}
	upload, err := client.Uploads.SendFile(context.Background(), path, func(arrived, total int64) {
		fmt.Println(arrived, "of", total)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(upload.State)
	// Output:
	// 0 of 22
	// 22 of 22
	// complete
}

func ExampleNewWebhooks() {
	webhooks := tickreel.NewWebhooks("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	_, err := webhooks.Unwrap([]byte(`{"event":"job.completed"}`), http.Header{})
	var refused *tickreel.Error
	fmt.Println(errors.As(err, &refused), refused.Kind)
	// Output: true webhook_invalid
}
