package tickreel

import (
	"bytes"
	"context"
)

// Rules say what is rendered and sent by itself when a demo arrives.
type Rules struct{ api API }

// Create makes a rule, which acts with the scope of the client's key.
func (r Rules) Create(ctx context.Context, rule RuleRequest) (*Rule, error) {
	return r.api.CreateRule(ctx, rule)
}

// List returns all rules, oldest first.
func (r Rules) List(ctx context.Context) ([]Rule, error) {
	list, err := r.api.ListRules(ctx)
	if err != nil {
		return nil, err
	}
	return list.Rules, nil
}

// Get returns a rule with its latest runs.
func (r Rules) Get(ctx context.Context, ruleID string) (*Rule, error) {
	return r.api.GetRule(ctx, ruleID)
}

// Change changes a rule. A given field replaces all of that field. Enabled also resumes a paused rule.
func (r Rules) Change(ctx context.Context, ruleID string, changes RuleChange) (*Rule, error) {
	return r.api.ChangeRule(ctx, ruleID, changes)
}

// Delete deletes a rule.
func (r Rules) Delete(ctx context.Context, ruleID string) error { return r.api.DeleteRule(ctx, ruleID) }

// Try returns the clips that the rule would make of an inspected demo. It makes none.
func (r Rules) Try(ctx context.Context, ruleID, demoURL string) (*RuleTrial, error) {
	return r.api.TryRule(ctx, ruleID, TryRuleBody{DemoURL: demoURL})
}

// Assets are watermarks, intros, outros and music.
type Assets struct{ api API }

// Upload uploads an image or music. contentType says what it is, such as image/png or audio/mpeg.
func (a Assets) Upload(
	ctx context.Context, content []byte, contentType string, query UploadAssetQuery,
) (*Asset, error) {
	body := Content{Type: contentType, Size: int64(len(content)), Reader: bytes.NewReader(content)}
	return API{a.api.t.slow()}.UploadAsset(ctx, query, body)
}

// Get reads an asset.
func (a Assets) Get(ctx context.Context, assetID string) (*Asset, error) {
	return a.api.GetAsset(ctx, assetID)
}

// List lists assets, newest first.
func (a Assets) List(ctx context.Context, query ListAssetsQuery) *List[Asset] {
	return listOf(query.Cursor, func(cursor string) ([]Asset, string, error) {
		query.Cursor = cursor
		page, err := a.api.ListAssets(ctx, query)
		if err != nil {
			return nil, "", err
		}
		return page.Assets, page.NextCursor, nil
	})
}

// Delete deletes an asset.
func (a Assets) Delete(ctx context.Context, assetID string) error {
	return a.api.DeleteAsset(ctx, assetID)
}

// ViewingSettings say how the account's clips are shown: who may embed them, and what their pages show.
type ViewingSettings struct{ api API }

// Get reads the settings.
func (v ViewingSettings) Get(ctx context.Context) (*Viewing, error) { return v.api.GetViewing(ctx) }

// Change changes the given fields only.
func (v ViewingSettings) Change(ctx context.Context, changes ViewingChanges) (*Viewing, error) {
	return v.api.ChangeViewing(ctx, changes)
}
