package tickreel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
)

// Uploads sends demos that have no address.
type Uploads struct {
	api    API
	direct *transport
}

// DemoFile is a demo of the caller: plain or compressed, as a .dem, .gz, .bz2, .zst, .zip or .rar.
type DemoFile struct {
	// Name is for your list of demos.
	Name    string
	Content io.ReaderAt
	Size    int64
	// SHA256 is in lower-case hexadecimal. Without it the whole content is read first to compute it.
	SHA256 string
	Tag    string
	Facts  *UploadFacts
}

// Send uploads a demo. Jobs of the account name its DemoURL. Parts that the service already has are not sent again, so
// a call after an interrupted one continues it. onProgress gets the bytes that have arrived, and may be nil.
func (u Uploads) Send(ctx context.Context, file DemoFile, onProgress func(arrived, total int64)) (*Upload, error) {
	if file.SHA256 == "" {
		hash := sha256.New()
		if _, err := io.Copy(hash, io.NewSectionReader(file.Content, 0, file.Size)); err != nil {
			return nil, err
		}
		file.SHA256 = hex.EncodeToString(hash.Sum(nil))
	}
	upload, err := u.api.CreateUpload(ctx, UploadRequest{
		Name: file.Name, Bytes: file.Size, SHA256: file.SHA256, Tag: file.Tag, Facts: file.Facts,
	})
	if err != nil {
		return nil, err
	}
	arrived := file.Size
	for _, part := range upload.Parts {
		arrived -= part.Bytes
	}
	report := func() {
		if onProgress != nil {
			onProgress(arrived, file.Size)
		}
	}
	report()
	slow := API{u.api.t.slow()}
	for _, part := range upload.Parts {
		piece := Content{
			Type: "application/octet-stream", Size: part.Bytes,
			Reader: io.NewSectionReader(file.Content, part.Offset, part.Bytes),
		}
		if part.IsSigned {
			// A complete address of the bucket, which gets no key of the account.
			r := request{method: "PUT", path: part.URL, body: piece, repeatable: true}
			err = answerNothing(ctx, u.direct.slow(), r)
		} else {
			err = slow.SendUploadPart(ctx, upload.ID, SendUploadPartQuery{Part: part.Part}, piece)
		}
		if err != nil {
			return nil, err
		}
		arrived += part.Bytes
		report()
	}
	if upload.State == "complete" {
		return upload, nil
	}
	return slow.CompleteUpload(ctx, upload.ID)
}

// SendFile uploads a demo of the disk, under the name of its file.
func (u Uploads) SendFile(ctx context.Context, path string, onProgress func(arrived, total int64)) (*Upload, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	demo := DemoFile{Name: filepath.Base(path), Content: file, Size: info.Size()}
	return u.Send(ctx, demo, onProgress)
}

// Get reads an upload.
func (u Uploads) Get(ctx context.Context, uploadID string) (*Upload, error) {
	return u.api.GetUpload(ctx, uploadID)
}

// List lists uploads, newest first.
func (u Uploads) List(ctx context.Context, query ListUploadsQuery) *List[UploadSummary] {
	return listOf(query.Cursor, func(cursor string) ([]UploadSummary, string, error) {
		query.Cursor = cursor
		page, err := u.api.ListUploads(ctx, query)
		if err != nil {
			return nil, "", err
		}
		return page.Uploads, page.NextCursor, nil
	})
}

// Delete deletes an upload.
func (u Uploads) Delete(ctx context.Context, uploadID string) error {
	return u.api.DeleteUpload(ctx, uploadID)
}
