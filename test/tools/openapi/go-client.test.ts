import { expect, it } from 'vitest';
import type { ClientModel, ModelField, Shape } from '#openapi/client-model.ts';
import { formatGo } from '#openapi/go-client.ts';

const field = (name: string, shape: Shape, more: Partial<ModelField> = {}): ModelField => ({
  ...{ name, doc: '', shape, isRequired: true, isNullable: false },
  ...more,
});
const text: Shape = { kind: 'text' };
const optional = { isRequired: false };
const orNull = { isNullable: true };

const MODEL: ClientModel = {
  types: [
    {
      name: 'Thing',
      doc: 'A thing.',
      fields: [
        field('demo_url', text, { doc: 'Where it is.' }),
        field('steam64_id', text, { ...optional, ...orNull }),
        field('fps', { kind: 'integer' }, optional),
        field('share', { kind: 'number' }, orNull),
        field('is_new', { kind: 'boolean' }),
        field('kind', { kind: 'named', name: 'ThingKind' }, orNull),
        field('inner', { kind: 'named', name: 'Thing' }, optional),
        field('sites', { kind: 'list', item: text }, { ...optional, ...orNull }),
        field('team', { kind: 'choice', values: ['T', 'CT'], isOpen: false }, { doc: 'The side.', ...orNull }),
      ],
    },
    { name: 'ThingKind', doc: '', alias: { kind: 'choice', values: ['a_b', 'c'], isOpen: true } },
  ],
  calls: [
    {
      ...{ id: 'changeThing', doc: 'Change a thing.', method: 'POST', path: '/api/things/:id', scope: 'submit' },
      ...{ params: [field('id', text)], query: [field('limit', { kind: 'integer' }, optional)] },
      ...{ body: { kind: 'named', name: 'Thing' }, answer: { kind: 'named', name: 'Thing' } },
      ...{ isStream: false, repeatable: 'by key', items: null },
    },
  ],
  problems: [{ kind: 'not_found', status: 404, doc: 'There is none.' }],
};

it('writes a missing text as an empty one, all else that may be missing as a pointer, aligned as by gofmt', () => {
  const types = formatGo(MODEL)['packages/go/types.go'];
  expect(types?.slice(types.indexOf('// A thing.'))).toBe(`// A thing.
type Thing struct {
	// Where it is.
	DemoURL   string    \`json:"demo_url"\`
	Steam64ID string    \`json:"steam64_id,omitempty"\`
	FPS       *int64    \`json:"fps,omitempty"\`
	Share     *float64  \`json:"share"\`
	IsNew     bool      \`json:"is_new"\`
	Kind      ThingKind \`json:"kind"\`
	Inner     *Thing    \`json:"inner,omitempty"\`
	Sites     *[]string \`json:"sites,omitempty"\`
	// The side. One of \`T\`, \`CT\`.
	Team string \`json:"team"\`
}

type ThingKind string

const (
	ThingKindAB ThingKind = "a_b"
	ThingKindC  ThingKind = "c"
)

// The kinds of problems: /docs/problems of the service.
const (
	// There is none.
	KindNotFound = "not_found"
)
`);
});

it('writes a call with its inputs, and when it may be repeated', () => {
  expect(formatGo(MODEL)['packages/go/calls.go']).toContain(`// ChangeThing: Change a thing.
func (a API) ChangeThing(ctx context.Context, id string, query ChangeThingQuery, body Thing) (*Thing, error) {
	return answer[Thing](ctx, a.t, request{
		method: "POST", path: "/api/things/" + segment(id), query: query, body: body, repeatable: body.IdempotencyKey != "",
	})
}
`);
});
