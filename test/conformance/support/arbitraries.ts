import fc from 'fast-check';
import { SubmitRequest } from '#protocol/clip/submit.ts';
import { DEMO_URL, OTHER_PLAYER, PARKED_FPS, PLAYER } from './api.ts';

type Json = Record<string, unknown>;

/** A request as it is sent. `sent`: the value of a JSON body, null if it was garbled. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array | null;
  readonly sent: Json | null;
}

const FIELDS = Object.keys(SubmitRequest.shape);

const segment = fc
  .tuple(fc.constantFrom(PLAYER, OTHER_PLAYER), fc.nat(200_000), fc.integer({ min: 64, max: 64_000 }))
  .map(([steam64_id, start_tick, length]) => ({ steam64_id, start_tick, end_tick: start_tick + length }));

const padding = fc.double({ min: 0.5, max: 5, noNaN: true });
const zeroOrOne = fc.constantFrom('0', '1');

const options = {
  resolution: fc.constantFrom(1080, 1440),
  commands: fc.record({ spec_show_xray: zeroOrOne, cl_draw_only_deathnotices: zeroOrOne }, { requiredKeys: [] }),
  hud_killfeed: fc.boolean(),
  hud_damage_ticker: fc.boolean(),
  thumbnail_style: fc.constantFrom('full', 'killfeed', 'none'),
  extras: fc.jsonValue(),
  webhook_url: fc.webUrl(),
};

const required = { demo_url: fc.constant(DEMO_URL), fps: fc.constant(PARKED_FPS) };

const roundMode = fc.record(
  {
    ...required,
    steam64_id: fc.constantFrom(PLAYER, OTHER_PLAYER),
    ...options,
    round: fc.integer({ min: 1, max: 60 }),
    pre_kill_padding: padding,
    post_kill_padding: padding,
    pov: fc.constantFrom('killer', 'victim', 'both'),
    merge_gap: fc.integer({ min: 0, max: 10 }),
  },
  { requiredKeys: ['demo_url', 'fps', 'steam64_id'] },
);

const timelineMode = fc.record(
  { ...required, timeline: fc.array(segment, { minLength: 1, maxLength: 20 }), ...options },
  { requiredKeys: ['demo_url', 'fps', 'timeline'] },
);

/** Few keys, so that requests share them. */
const keyed = fc.record(
  { idempotency_key: fc.constantFrom('a', 'b', 'é', '🎬', 'x'.repeat(255)), force: fc.boolean() },
  { requiredKeys: ['idempotency_key'] },
);

const validRequest: fc.Arbitrary<Json> = fc
  .tuple(fc.oneof(roundMode, timelineMode), fc.option(keyed, { nil: {}, freq: 2 }))
  .map(([request, key]) => ({ ...request, ...key }));

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 0.5, 1, 5, 64, 120, 1e308, -1e308, 2 ** 53, '', ' ', '0', '1', 'NaN'),
  fc.constantFrom<unknown>('\u0000', '\ud800', '🎬', 'http://', 'https://[::1]/', 'javascript:0', [], {}, [[]], [{}]),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.double(),
  fc.bigInt({ min: 0n, max: 2n ** 65n }).map(String),
  fc.array(fc.oneof(segment, fc.jsonValue({ maxDepth: 1 })), { maxLength: 22 }),
  fc.record({ spec_show_xray: fc.jsonValue({ maxDepth: 0 }) }),
  fc.jsonValue(),
);

/** Sets an odd value in a field, or removes a field. */
const edit = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...FIELDS) }, { weight: 1, arbitrary: fc.string() }),
    fc.option(oddValue, { freq: 5, nil: undefined }),
  )
  .map(([field, value]) => (request: Json): Json => {
    const { [field]: _, ...rest } = request;
    return value === undefined ? rest : { ...rest, [field]: value };
  });

type Bytes = Uint8Array<ArrayBufferLike>;
type Change = (bytes: Bytes) => Bytes;

/** Cuts, overwrites or inserts bytes in the body. */
const garble: fc.Arbitrary<Change> = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(8), fc.uint8Array({ maxLength: 8 }))
  .map(([place, removed, added]) => (bytes: Uint8Array): Uint8Array => {
    const at = Math.floor(place * bytes.length);
    return Uint8Array.from([...bytes.subarray(0, at), ...added, ...bytes.subarray(at + removed)]);
  });

const JSON_TYPE = 'application/json';

/** Submissions: mostly valid requests with something changed, some of them no longer JSON. */
export const fuzzedSubmit: fc.Arbitrary<FuzzedRequest> = fc
  .record({
    request: validRequest,
    edits: fc.array(edit, { maxLength: 3 }),
    garbles: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Change[]>([]) },
      { weight: 1, arbitrary: fc.array(garble, { minLength: 1, maxLength: 3 }) },
    ),
    type: fc.oneof({ weight: 9, arbitrary: fc.constant(JSON_TYPE) }, fc.stringMatching(/^[!-~]{0,30}$/)),
  })
  .map(({ request, edits, garbles, type }) => {
    const value = edits.reduce((edited, change) => change(edited), request);
    const text = JSON.stringify(value);
    const body = garbles.reduce<Bytes>((bytes, change) => change(bytes), new TextEncoder().encode(text));
    const sent = garbles.length === 0 && type === JSON_TYPE ? JSON.parse(text) : null;
    return { method: 'POST', path: '/api/clips', type, body, sent };
  });

/** Requests to any address, built from pieces of real ones and the given ids. */
export function fuzzedPath(ids: readonly string[]): fc.Arbitrary<FuzzedRequest> {
  const piece = fc.oneof(
    fc.constantFrom('api', 'jobs', 'clips', 'assets', 'usage', 'events', 'deliveries', 'resubmit', 'resend-webhook'),
    fc.constantFrom(
      'save',
      'unsave',
      'embed',
      'video.mp4',
      'thumbnail.jpg',
      'gateway',
      'v1',
      'claim',
      'admin',
      'hosts',
    ),
    fc.constantFrom(...ids, ...ids.map((id) => id.toUpperCase()), ...ids.map((id) => id.slice(1))),
    fc.uuid(),
    fc.constantFrom('', '.', '..', '%2e%2e', '%00', '%', '%ff', '*', ':id', '__proto__', '{id}', "'", '"', '🎬'),
    fc.string({ maxLength: 20 }).map(encodeURIComponent),
  );
  const real = fc
    .tuple(
      fc.constantFrom('/api/jobs/', '/api/clips/', '/api/assets/', '/clips/'),
      fc.oneof(fc.constantFrom(...ids), piece),
      fc.oneof(fc.constant(''), piece),
    )
    .map(([collection, id, action]) => collection + id + (action === '' ? '' : `/${action}`));
  const query = fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    fc
      .tuple(fc.constantFrom('limit', 'cursor', 'status', 'created_from', 'kind', 'fence', 'x'), fc.string())
      .map(([name, value]) => `?${name}=${encodeURIComponent(value.toWellFormed())}`),
  );
  return fc
    .record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
      path: fc.oneof(
        real,
        fc.array(piece, { maxLength: 6 }).map((pieces) => `/${pieces.join('/')}`),
      ),
      query,
      body: fc.option(fc.uint8Array({ maxLength: 50 }), { nil: null }),
    })
    .map(({ method, path, query: search, body }) => ({
      method,
      path: path + search,
      type: JSON_TYPE,
      body: method === 'GET' ? null : body,
      sent: null,
    }));
}
