import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { ERROR_CODES } from '#domain/failure/codes.ts';
import { PROBLEMS, type ProblemKind } from '#protocol/lib/problem.ts';
import { formatSigningSecret, signedHeaders } from '#protocol/lib/signed-message.ts';
import type { Reply } from './misbehaving-server.ts';
import type { ClientCall, Failure, Outcome, Task } from './protocol.ts';

/** A case for every client: what it does, what the server does, and what has to come of it. */
export interface Case {
  readonly name: string;
  readonly client?: Partial<Task['client']>;
  readonly call: ClientCall | (() => Promise<ClientCall>);
  /** The replies to the requests, in order. `address` is that of the server. */
  readonly replies?: readonly Reply[] | ((address: string) => readonly Reply[]);
  readonly value?: unknown;
  readonly error?: Partial<Failure>;
  readonly progress?: Outcome['progress'];
  /** The least and the most seconds of each wait. Without it, no wait is expected. */
  readonly waits?: readonly (readonly [least: number, most: number])[];
  /** What the server got: `GET /api/jobs/…`. Without it, the requests are not compared. */
  readonly requests?: readonly string[];
  /** Names of headers whose values are compared, with a value for each request; null for none. */
  readonly headers?: Readonly<Record<string, readonly (string | null)[]>>;
  /** Fields of the bodies of the requests. A body of null is not compared. */
  readonly bodies?: readonly (object | string | null)[];
  /** Every request has the same body. */
  readonly isSameBody?: boolean;
}

const ID = '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90';
const CLIP = 'b7a2f1c4-0d3e-4f5a-8b6c-7d8e9f0a1b2c';
const REQUEST = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '76561198000000001' };
const GET_JOB: ClientCall = { do: 'get_job', id: ID };
const SUBMIT: ClientCall = { do: 'submit', request: REQUEST };
const JOB = { id: ID, status: 'done', clip_id: CLIP, error_code: null };

const ok = (body: unknown, headers?: Record<string, string>): Reply => ({
  status: 200,
  body,
  ...(headers && { headers }),
});
const nothing: Reply = { status: 204 };
const job = (status: string, more: object = {}) => ok({ ...JOB, clip_id: null, status, ...more });
const submitted: Reply = { status: 201, body: { job_id: ID } };

function problem(kind: string, status: number, headers: Record<string, string> = {}, more: object = {}): Reply {
  const type = `https://tickreel.example/docs/problems#${kind}`;
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json', 'X-Request-Id': 'r-1', ...headers },
    body: { type, title: 'A title', status, detail: `What ${kind} is.`, request_id: 'r-0', ...more },
  };
}

const unavailable = problem('unavailable', 503);
const times = (count: number, reply: Reply) => Array.from({ length: count }, () => reply);
/** The waits before so many retries. */
const backOff = (count: number) =>
  Array.from({ length: count }, (_, i) => Math.min(8, 0.5 * 2 ** i)).map((most) => [most / 2, most] as const);

const notice = (status: string, progress: number | null = null, more: object = {}) => ({
  status,
  progress,
  attempt: 1,
  error_code: null,
  ...more,
});
const polled = (status: string) => ({ ...notice(status, status === 'done' ? 1 : null), attempt: null });
const event = (data: object, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
const stream = (pieces: readonly (string | Uint8Array)[], end: 'closes' | 'breaks' | 'stays' = 'closes'): Reply => ({
  events: pieces,
  end,
});
const change = (id: string, status: string) => event({ ...JOB, status }, id);

const EVENTS = `GET /api/jobs/${ID}/events`;
const POLL = `GET /api/jobs/${ID}`;
const DIAGNOSED = `${POLL}?include=diagnosis`;

const CALLS: readonly Case[] = [
  {
    name: 'shows the key, keeps the path of the address, and reads the answer',
    call: { do: 'get_job', id: ID, include: ['queue', 'diagnosis'] },
    replies: [ok({ ...JOB, payload: { extras: '{"é":"漢 \\u2028"}' }, new_field: [1.5, null, 9007199254740991] })],
    value: { ...JOB, payload: { extras: '{"é":"漢 \\u2028"}' }, new_field: [1.5, null, 9007199254740991] },
    requests: [`${POLL}?include=queue%2Cdiagnosis`],
    headers: { authorization: ['Bearer tr_met_1'] },
  },
  {
    name: 'has no value for an empty answer',
    call: { do: 'save_clip', id: CLIP },
    replies: [nothing],
    value: null,
    requests: [`POST /api/clips/${CLIP}/save`],
  },
  {
    name: 'cannot leave the segment of its path by an id',
    call: { do: 'get_job', id: '../clips?x=#' },
    replies: [problem('not_found', 404)],
    error: { code: 'not_found' },
    requests: ['GET /api/jobs/..%2Fclips%3Fx%3D%23'],
  },
  {
    name: 'is not made without a key',
    client: { api_key: '' },
    call: GET_JOB,
    error: { class: 'usage' },
    requests: [],
  },
  {
    name: 'takes a key with the line end of its file',
    client: { api_key: 'tr_met_1\n' },
    call: GET_JOB,
    replies: [ok(JOB)],
    value: JOB,
    headers: { authorization: ['Bearer tr_met_1'] },
  },
  ...['tr_met_…', 'tr_met_1\r\nX-Evil: 1'].map((key) => ({
    name: `is not made with a key that a header cannot have: ${JSON.stringify(key)}`,
    client: { api_key: key },
    call: GET_JOB,
    error: { class: 'usage' as const, message: expect.not.stringContaining('tr_met_') },
    requests: [],
  })),
  ...[301, 307].map((status) => ({
    name: `follows no redirect, which may make a submit a read: ${status}`,
    call: SUBMIT,
    replies: (address: string): readonly Reply[] => [
      { status, headers: { Location: `${address}/api/clips` } },
      ok({ clips: [], next_cursor: null }),
    ],
    error: { class: 'problem' as const, code: `http_${status}`, status },
    requests: ['POST /api/clips'],
  })),
];

const RETRIES: readonly Case[] = [
  {
    name: 'is retried after longer and longer waits, and then fails',
    call: GET_JOB,
    replies: ['resets', unavailable, 'breaks off', problem('internal', 500), 'resets'],
    error: { class: 'no_answer', code: 'not_reached', status: null, is_transient: true },
    waits: backOff(4),
    requests: times(5, nothing).map(() => POLL),
  },
  {
    name: 'is retried until it has its answer',
    call: GET_JOB,
    replies: ['resets', problem('request_timeout', 408), { status: 502, body: '<h1>Bad gateway</h1>' }, ok(JOB)],
    value: JOB,
    waits: backOff(3),
  },
  {
    name: 'is retried as often as the client says',
    client: { max_retries: 1 },
    call: GET_JOB,
    replies: times(2, unavailable),
    error: { class: 'problem', code: 'unavailable', status: 503 },
    waits: backOff(1),
  },
  {
    name: 'waits as many seconds as the service asks',
    call: GET_JOB,
    replies: [problem('unavailable', 503, { 'Retry-After': '7' }), ok(JOB)],
    value: JOB,
    waits: [[7, 7]],
  },
  {
    name: 'waits until the time that the service names, and no less than otherwise',
    call: GET_JOB,
    replies: [
      problem('rate_limited', 429, { 'Retry-After': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
      problem('rate_limited', 429, { 'Retry-After': '0' }),
      problem('rate_limited', 429, { 'Retry-After': 'soon' }),
      problem('rate_limited', 429, { 'Retry-After': '1' }),
      ok(JOB),
    ],
    value: JOB,
    waits: backOff(4),
  },
  {
    name: 'fails at once if the service asks for more than two minutes',
    call: GET_JOB,
    replies: [problem('rate_limited', 429, { 'Retry-After': '121' })],
    error: { class: 'problem', code: 'rate_limited', retry_after_s: 121, is_transient: true },
  },
  {
    name: 'times out, each attempt by itself',
    client: { timeout_s: 0.3, max_retries: 1 },
    call: GET_JOB,
    replies: ['is silent', 'is silent'],
    error: { class: 'no_answer', code: 'timed_out', status: null, is_transient: true },
    waits: backOff(1),
    requests: [POLL, POLL],
  },
  {
    name: 'is not reached by an answer that is no JSON',
    client: { max_retries: 0 },
    call: GET_JOB,
    replies: [{ status: 200, headers: { 'Content-Type': 'application/json' }, body: '<html>' }],
    error: { class: 'no_answer', code: 'not_reached' },
  },
  {
    name: 'is not reached by the page of another site',
    client: { max_retries: 0 },
    call: { do: 'cancel_job', id: ID },
    replies: [{ status: 200, headers: { 'Content-Type': 'text/html' }, body: '<!doctype html>' }],
    error: { class: 'no_answer', code: 'not_reached' },
  },
  ...(['resubmit_job', 'cancel_job'] as const).map((name) => ({
    name: `is not retried if it is not idempotent: ${name}`,
    call: { do: name, id: ID },
    replies: [unavailable],
    error: { class: 'problem' as const, code: 'unavailable' },
    requests: [`POST /api/jobs/${ID}/${name.replace('_job', '')}`],
  })),
  {
    name: 'is not retried if it is not idempotent and the connection is lost',
    call: { do: 'resubmit_job', id: ID },
    replies: ['resets'],
    error: { class: 'no_answer', code: 'not_reached' },
  },
  {
    name: 'is retried if it is not idempotent, once it is asked to wait, because it has done nothing',
    call: { do: 'resubmit_job', id: ID },
    replies: [problem('rate_limited', 429, { 'Retry-After': '2' }), ok({ job_id: ID })],
    value: { job_id: ID },
    waits: [[2, 2]],
  },
  {
    name: 'is not retried if it is not idempotent and is not asked to wait',
    call: { do: 'resubmit_job', id: ID },
    replies: [problem('too_many_deliveries', 429)],
    error: { class: 'problem', code: 'too_many_deliveries' },
  },
];

const isTransient = (status: number) =>
  status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 508);

const PROBLEM_CASES: readonly Case[] = [
  ...(Object.keys(PROBLEMS) as ProblemKind[]).map((kind) => ({
    name: `is refused with ${kind}`,
    client: { max_retries: 0 },
    call: GET_JOB,
    replies: [problem(kind, PROBLEMS[kind].status)],
    error: {
      class: 'problem' as const,
      code: kind,
      status: PROBLEMS[kind].status,
      request_id: 'r-1',
      errors: null,
      docs_url: `https://tickreel.example/docs/problems#${kind}`,
      message: `What ${kind} is.`,
      is_transient: isTransient(PROBLEMS[kind].status),
    },
  })),
  {
    name: 'is refused with a kind that the client does not know',
    call: GET_JOB,
    replies: [problem('teapot', 418)],
    error: { class: 'problem', code: 'teapot', status: 418, is_transient: false },
  },
  {
    name: 'is refused by a proxy that knows no problems',
    call: GET_JOB,
    replies: [{ status: 403, body: '<h1>No</h1>' }],
    error: { class: 'problem', code: 'http_403', status: 403, request_id: null, docs_url: null },
  },
  {
    name: 'is refused with JSON that is no problem',
    call: GET_JOB,
    replies: [{ status: 400, body: ['type', 'title', 'detail'] }],
    error: { class: 'problem', code: 'http_400', errors: null },
  },
  {
    name: 'names each rule that the request breaks',
    call: SUBMIT,
    replies: [
      problem(
        'invalid_request',
        400,
        {},
        {
          errors: [
            { path: 'fps', message: 'must be at least 5' },
            { path: '', message: 'must be an object' },
          ],
        },
      ),
    ],
    error: {
      class: 'problem',
      code: 'invalid_request',
      status: 400,
      errors: [
        { path: 'fps', message: 'must be at least 5' },
        { path: '', message: 'must be an object' },
      ],
      message: 'A title:\n  fps must be at least 5\n  the body must be an object',
    },
  },
];

const SUBMITS: readonly Case[] = [
  {
    name: 'has one key in all attempts, and is new even if the first answer was lost',
    call: SUBMIT,
    replies: ['resets', unavailable, ok({ job_id: ID })],
    value: { job_id: ID, replayed: false, body_differs: false },
    waits: backOff(2),
    bodies: [{ ...REQUEST, idempotency_key: expect.any(String) }],
    isSameBody: true,
  },
  {
    name: 'says that a job with its own key existed, with another body',
    call: { do: 'submit', request: { ...REQUEST, idempotency_key: 'match-1' } },
    replies: [ok({ job_id: ID }, { 'Idempotent-Replayed': 'true', 'Idempotency-Body-Differs': 'true' })],
    value: { job_id: ID, replayed: true, body_differs: true },
    bodies: [{ ...REQUEST, idempotency_key: 'match-1' }],
  },
  {
    name: 'says that a job with its own key is new',
    call: { do: 'submit', request: { ...REQUEST, idempotency_key: 'match-1', extras: { é: [null], b: '<&>' } } },
    replies: [submitted],
    value: { job_id: ID, replayed: false, body_differs: false },
    bodies: [{ extras: { é: [null], b: '<&>' } }],
  },
  {
    name: 'of a batch has a key for each clip, the same in all attempts',
    call: { do: 'submit_batch', requests: [{ round: 1 }, { round: 2, idempotency_key: 'own' }], defaults: REQUEST },
    replies: [
      'resets',
      ok({
        results: [0, 1].map((index) => ({
          index,
          status: 200,
          job_id: ID,
          replayed: true,
          body_differs: false,
          problem: null,
        })),
      }),
    ],
    value: [
      { index: 0, status: 200, job_id: ID, replayed: false, body_differs: false, problem: null },
      { index: 1, status: 200, job_id: ID, replayed: true, body_differs: false, problem: null },
    ],
    waits: backOff(1),
    bodies: [
      {
        defaults: REQUEST,
        clips: [
          { round: 1, idempotency_key: expect.any(String) },
          { round: 2, idempotency_key: 'own' },
        ],
      },
    ],
    isSameBody: true,
  },
  {
    name: 'is planned, again after an outage, because a plan changes nothing',
    call: { do: 'plan', request: REQUEST },
    replies: [unavailable, ok({ seconds: 7, shots: [] })],
    value: { seconds: 7, shots: [] },
    waits: backOff(1),
  },
];

const LISTS: readonly Case[] = [
  {
    name: 'is read to its end, page by page, through an outage',
    call: { do: 'list_jobs', query: { status: 'done', limit: 2 } },
    replies: [
      ok({ jobs: [{ id: 'a' }, { id: 'b' }], next_cursor: 'c/1=' }),
      unavailable,
      ok({ jobs: [], next_cursor: 'c2' }),
      ok({ jobs: [{ id: 'c' }], next_cursor: null }),
    ],
    value: ['a', 'b', 'c'],
    waits: backOff(1),
    requests: [
      'GET /api/jobs?limit=2&status=done',
      'GET /api/jobs?cursor=c%2F1%3D&limit=2&status=done',
      'GET /api/jobs?cursor=c%2F1%3D&limit=2&status=done',
      'GET /api/jobs?cursor=c2&limit=2&status=done',
    ],
  },
  {
    name: 'reads no page that is not asked for',
    call: { do: 'list_clips', take: 1 },
    replies: [ok({ clips: [{ id: 'a' }, { id: 'b' }], next_cursor: 'c1' })],
    value: ['a'],
    requests: ['GET /api/clips'],
  },
];

const waitJob: ClientCall = { do: 'wait_job', id: ID };

/** Two events, with data of several lines. */
const MIXED_LINES = [
  ':\n\nretry: 1000\nid: 7\n',
  `data:${JSON.stringify(notice('render', 0.5, { error_code: 'é漢' })).replace(',', ',\r\ndata:')}\r\n\r\n`,
  `:\r\rdata: ${JSON.stringify(notice('done')).replaceAll(',', ',\ndata: ')}\n\n`,
].join('');

function cutInto(size: number, text: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));
}

const FOLLOWED: readonly Case[] = [
  ...[1, 3, 17, 1000].map((cut) => ({
    name: `is read from events in pieces of ${cut} bytes, whatever their line ends and comments`,
    call: waitJob,
    replies: [stream(cutInto(cut, MIXED_LINES)), job('done')],
    progress: [notice('render', 0.5, { error_code: 'é漢' }), notice('done', 1)],
    requests: [EVENTS, DIAGNOSED],
  })),
  {
    name: 'has progress of three decimals that ends at 1, and no repeats after a break',
    call: waitJob,
    replies: [
      stream(
        ['prefetch', 'render', 'render', 'render']
          .map((status, i) => notice(status, [null, 0.123456, 0.12349, 0.9999][i]))
          .map((one) => event(one)),
        'breaks',
      ),
      job('render'),
      stream([event(notice('render', 0.9999)), event(notice('done'))]),
      job('done'),
    ],
    progress: [notice('prefetch'), notice('render', 0.123), notice('render', 1), notice('done', 1)],
    waits: backOff(1),
  },
  {
    name: 'continues after the last event, and takes an empty stream for the outcome',
    call: waitJob,
    replies: [
      stream([event(notice('render', 0.2), '4'), 'id: 5\n'], 'breaks'),
      ...[job('render'), stream([event(notice('render', 0.6))], 'closes'), job('render'), nothing, job('done')],
      job('done'),
    ],
    progress: [notice('render', 0.2), notice('render', 0.6), polled('done')],
    waits: backOff(2),
    requests: [EVENTS, POLL, EVENTS, POLL, EVENTS, POLL, DIAGNOSED],
    headers: { 'last-event-id': [null, null, '4', null, '4', null, null] },
  },
  {
    name: 'is only polled once three streams gave no news',
    call: waitJob,
    replies: [
      ...[problem('limit_reached', 429, { 'Retry-After': '10' }), job('pending'), 'resets' as const, job('pending')],
      ...[unavailable, job('render'), job('render'), job('error'), job('error')],
    ],
    progress: [polled('pending'), polled('render'), polled('error')],
    waits: backOff(4),
    requests: [EVENTS, POLL, EVENTS, POLL, EVENTS, POLL, POLL, POLL, DIAGNOSED],
  },
  {
    name: 'is followed through any outage, whatever wait the service asks for',
    call: waitJob,
    replies: [
      stream([event(notice('render', 0.2), '4')], 'breaks'),
      ...[...times(6, 'resets'), problem('unavailable', 503, { 'Retry-After': '600' }), job('render')],
      ...[stream([event(notice('done'))]), unavailable, job('done')],
    ],
    progress: [notice('render', 0.2), notice('done', 1)],
    waits: [...backOff(6), [600, 600], ...backOff(1), ...backOff(1)],
  },
  {
    name: 'is read again if another client queued it after its outcome',
    call: waitJob,
    replies: [
      ...[stream([event(notice('done'))]), job('pending')],
      ...[stream([event(notice('error', null, { error_code: 'demo_404' }))]), job('error', { error_code: 'demo_404' })],
    ],
    value: { ...JOB, clip_id: null, status: 'error', error_code: 'demo_404' },
    progress: [notice('done', 1), notice('error', null, { error_code: 'demo_404' })],
  },
  {
    name: 'ends once the service refuses',
    call: waitJob,
    replies: [stream([event(notice('render', 0.2))], 'breaks'), 'resets', problem('unauthorized', 401)],
    error: { class: 'problem', code: 'unauthorized' },
    progress: [notice('render', 0.2)],
    waits: backOff(1),
  },
  {
    name: 'does not exist',
    call: waitJob,
    replies: [problem('not_found', 404)],
    error: { class: 'problem', code: 'not_found' },
    requests: [EVENTS],
  },
];

const RENDERS: readonly Case[] = [
  {
    name: 'is submitted, followed and read',
    call: { do: 'render', request: REQUEST },
    replies: [
      ...['resets' as const, submitted, stream([event(notice('render', 0.5)), event(notice('done'))])],
      ...[job('done', { clip_id: CLIP }), unavailable, ok({ id: CLIP, title: 'Ace' })],
    ],
    value: { id: CLIP, title: 'Ace' },
    progress: [notice('render', 0.5), notice('done', 1)],
    waits: [...backOff(1), ...backOff(1)],
    requests: [
      ...['POST /api/clips', 'POST /api/clips', EVENTS, DIAGNOSED],
      ...[`GET /api/clips/${CLIP}`, `GET /api/clips/${CLIP}`],
    ],
  },
  ...[...Object.keys(ERROR_CODES), 'a_new_code'].map((code) => {
    const diagnosis = {
      error_code: code,
      summary: `Why ${code}.`,
      facts: { rounds: [1, 2] },
      retryable: false,
      retry_at: null,
      docs_url: `https://tickreel.example/docs/errors/${code}`,
    };
    return {
      name: `fails with ${code} and its diagnosis`,
      call: { do: 'render' as const, request: REQUEST },
      replies: [
        ...[submitted, stream([event(notice('error', null, { error_code: code }))])],
        job('error', { error_code: code, diagnosis }),
      ],
      error: {
        class: 'job_failed' as const,
        code,
        status: null,
        diagnosis,
        docs_url: diagnosis.docs_url,
        is_transient: false,
        message: `Job ${ID} failed: ${code}. Why ${code}.`,
      },
      progress: [notice('error', null, { error_code: code })],
    };
  }),
  {
    name: 'fails although nobody knows why',
    call: { do: 'render', request: REQUEST },
    replies: [submitted, stream([event(notice('error'))]), job('error')],
    error: { class: 'job_failed', code: 'error', diagnosis: null, docs_url: null },
    progress: [notice('error')],
  },
  {
    name: 'takes too long, and names its job',
    call: { do: 'render', request: REQUEST, timeout_s: 0.5 },
    replies: [submitted, stream([event(notice('render', 0.1))], 'stays')],
    error: { class: 'no_answer', code: 'timed_out', message: `Job ${ID} has not finished within 0.5 s.` },
    progress: [notice('render', 0.1)],
  },
  {
    name: 'is not even queued in time',
    call: { do: 'render', request: REQUEST, timeout_s: 0.3 },
    replies: ['is silent'],
    error: { class: 'no_answer', code: 'timed_out', message: 'The job was not queued within 0.3 s.' },
  },
  {
    name: 'is canceled by an interrupt that asks for it',
    call: { do: 'render', request: REQUEST, interrupt: true },
    replies: [submitted, stream([event(notice('render', 0.1))], 'stays'), ok({ job_id: ID })],
    error: { class: 'interrupted' },
    progress: [notice('render', 0.1)],
    requests: ['POST /api/clips', EVENTS, `POST /api/jobs/${ID}/cancel`],
  },
];

const ACCOUNT_EVENTS: readonly Case[] = [
  {
    name: 'continue after the last one, through breaks and outages',
    call: { do: 'events', after: '6', take: 2 },
    replies: [
      ...[stream([change('7', 'render'), 'id: 9\n'], 'breaks'), stream([':\n\n'])],
      ...[...times(3, 'resets'), problem('unavailable', 503, { 'Retry-After': '600' })],
      stream([change('8', 'done')], 'stays'),
    ],
    value: [
      { id: '7', job_id: ID, status: 'render' },
      { id: '8', job_id: ID, status: 'done' },
    ],
    waits: [...backOff(2), ...backOff(3), [600, 600]],
    headers: { 'last-event-id': ['6', '7', '7', '7', '7', '7', '7'] },
  },
  {
    name: 'continue after an id without a change, until the service refuses',
    call: { do: 'events', take: 1 },
    replies: [stream(['id: 5\n\nid: 6\n'], 'breaks'), problem('unauthorized', 401)],
    error: { class: 'problem', code: 'unauthorized' },
    waits: backOff(1),
    headers: { 'last-event-id': [null, '5'] },
  },
];

const DEMOS: readonly Case[] = [
  {
    name: 'is polled until it is read, through an outage',
    call: { do: 'inspect', demo: 'https://d.example/match.dem' },
    replies: [
      ...[unavailable, ok({ id: ID, state: 'pending' }), ...times(5, unavailable), ok({ id: ID, state: 'pending' })],
      ok({ id: ID, state: 'ready', match: null }),
    ],
    value: { id: ID, state: 'ready', match: null },
    waits: [...backOff(1), [0.5, 0.5], ...backOff(5), [0.75, 0.75]],
    bodies: [{ demo_url: 'https://d.example/match.dem' }],
  },
];

const SECRET = formatSigningSecret(new Uint8Array(32).fill(7));
const OTHER = formatSigningSecret(new Uint8Array(32).fill(8));
const FAILED = {
  event: 'job.failed',
  job_id: ID,
  clip_id: null,
  status: 'error',
  error_code: 'demo_404',
  extras: 'é漢',
};
const BODY = JSON.stringify(FAILED);

/** A webhook that is signed some seconds ago, and may be changed. */
function unwrap(
  name: string,
  expected: 'taken' | Failure['class'] | Partial<Failure>,
  {
    ago = 0,
    signer = SECRET as string | string[],
    ...changes
  }: {
    readonly ago?: number;
    readonly signer?: string | string[];
    readonly secrets?: readonly string[] | undefined;
    readonly body?: string;
    readonly headers?: (signed: Record<string, string>) => Record<string, string>;
    readonly insecure?: boolean;
    readonly own?: string;
    readonly as?: 'parsed' | 'pairs';
  } = {},
): Case {
  const { body = BODY, headers = (signed: Record<string, string>) => signed, insecure, own, as } = changes;
  const secrets = 'secrets' in changes ? changes.secrets : [SECRET];
  return {
    name,
    ...(own === undefined ? {} : { client: { webhook_secret: own } }),
    call: async () => {
      const signed = await signedHeaders(signer, { id: 'd-1', body: BODY, now: Date.now() - ago * 1000 });
      const optional = { ...(secrets && { secrets }), ...(insecure && { insecure }), ...(as && { as }) };
      return { do: 'unwrap', body, headers: headers(signed), ...optional };
    },
    requests: [],
    ...(expected === 'taken'
      ? { value: JSON.parse(body) }
      : { error: typeof expected === 'string' ? { class: expected } : expected }),
  };
}

const without = (name: string) => (signed: Record<string, string>) => {
  const { [name]: _, ...rest } = signed;
  return rest;
};
const signature = (change: (signature: string) => string) => (signed: Record<string, string>) => ({
  ...signed,
  'webhook-signature': change(signed['webhook-signature'] ?? ''),
});

const signedUnder = (key: Uint8Array, { 'webhook-id': id, 'webhook-timestamp': time }: Record<string, string>) =>
  `v1,${createHmac('sha256', key).update(`${id}.${time}.${BODY}`).digest('base64')}`;

const WEBHOOKS: readonly Case[] = [
  unwrap('is taken under its secret', 'taken'),
  unwrap('is taken under the secret of the client', 'taken', { secrets: undefined, own: SECRET }),
  unwrap('is taken with headers in any case', 'taken', {
    headers: (signed) => Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value])),
  }),
  unwrap('is taken with pairs of headers', 'taken', { as: 'pairs' }),
  unwrap('is taken under a secret with white space around it', 'taken', { secrets: [` ${SECRET}\n`] }),
  ...[true, false].map((insecure) =>
    unwrap(
      `is refused once it is parsed, ${insecure ? '' : 'not '}insecure`,
      { class: 'usage', message: expect.stringContaining('Pass the raw body') },
      { as: 'parsed', insecure, ...(insecure ? { secrets: undefined } : {}) },
    ),
  ),
  unwrap('is taken while secrets are exchanged, by the receiver', 'taken', { secrets: [OTHER, SECRET] }),
  unwrap('is taken while secrets are exchanged, by the service', 'taken', { signer: [OTHER, SECRET] }),
  unwrap('is taken beside signatures of other versions', 'taken', {
    headers: signature((one) => `v2,AAAA v1a, ${one}`),
  }),
  unwrap('is taken almost five minutes old', 'taken', { ago: 290 }),
  unwrap('is taken almost five minutes early', 'taken', { ago: -290 }),
  unwrap('is refused more than five minutes old', 'webhook_invalid', { ago: 310 }),
  unwrap('is refused more than five minutes early', 'webhook_invalid', { ago: -310 }),
  unwrap('is refused without a secret', 'usage', { secrets: undefined }),
  unwrap('is refused with an empty secret', 'usage', { secrets: undefined, own: '' }),
  unwrap('is refused with no secrets at all', 'webhook_invalid', { secrets: [] }),
  unwrap('is refused with a secret that is none', 'webhook_invalid', { secrets: ['no secret'] }),
  unwrap('is refused with a secret that is too short', 'webhook_invalid', {
    secrets: ['whsec_AAAA'],
    headers: (signed) => ({ ...signed, 'webhook-signature': signedUnder(Buffer.alloc(3), signed) }),
  }),
  unwrap('is refused under another secret', 'webhook_invalid', { secrets: [OTHER] }),
  unwrap('is refused with another body', 'webhook_invalid', { body: BODY.replace('404', '405') }),
  unwrap('is refused with the same JSON in other bytes', 'webhook_invalid', { body: `${BODY}\n` }),
  unwrap('is refused with another id', 'webhook_invalid', {
    headers: (signed) => ({ ...signed, 'webhook-id': 'd-2' }),
  }),
  unwrap('is refused with a time that was changed', 'webhook_invalid', {
    headers: (signed) => ({ ...signed, 'webhook-timestamp': `${Number(signed['webhook-timestamp']) + 1}` }),
  }),
  ...['', 'now', '-1', '1e9', ' 1777919502', '٣٣٣'].map((timestamp) =>
    unwrap(`is refused with the time "${timestamp}"`, 'webhook_invalid', {
      headers: (signed) => ({ ...signed, 'webhook-timestamp': timestamp }),
    }),
  ),
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    unwrap(
      `is refused without ${name}`,
      { class: 'webhook_invalid', message: expect.stringContaining(`The header ${name} is missing`) },
      { headers: without(name) },
    ),
  ),
  unwrap('is refused unsigned', 'webhook_invalid', { headers: () => ({}) }),
  unwrap('is refused with a signature that is no base64', 'webhook_invalid', { headers: signature(() => 'v1,***') }),
  unwrap('is refused with an empty signature', 'webhook_invalid', { headers: signature(() => 'v1,') }),
  unwrap('is refused with half of a signature', 'webhook_invalid', { headers: signature((one) => one.slice(0, 20)) }),
  unwrap('is refused without the version of its signature', 'webhook_invalid', {
    headers: signature((one) => one.replace('v1,', '')),
  }),
  unwrap('is taken with its signature after seven others', 'taken', {
    headers: signature((one) => `${'v1,AAAA '.repeat(7)}${one}`),
  }),
  unwrap('is refused with its signature after eight others', 'webhook_invalid', {
    headers: signature((one) => `${'v1,AAAA '.repeat(8)}${one}`),
  }),
  unwrap('is taken unsigned by a receiver that says so', 'taken', {
    secrets: undefined,
    insecure: true,
    headers: () => ({}),
  }),
  ...['', 'null', '[]', '"job.failed"', '{"event":"other"}', '{"event":'].map((body) =>
    unwrap(`is refused with the body ${body || 'of no bytes'}`, 'webhook_invalid', {
      secrets: undefined,
      insecure: true,
      body,
    }),
  ),
];

/** The cases by what they are about. Files are in the folder that `files` names. */
export const casesOf = (files: string): Readonly<Record<string, readonly Case[]>> => ({
  'a call': CALLS,
  'a call that fails': RETRIES,
  'a call that': PROBLEM_CASES,
  'a submit': SUBMITS,
  'a list': LISTS,
  'a job that': FOLLOWED,
  'a render': RENDERS,
  'the changes of all jobs': ACCOUNT_EVENTS,
  'a demo': DEMOS,
  'a file': fileCases(files),
  'a webhook': WEBHOOKS,
});

/** `abcdef` is a file of these six bytes; `clip.mp4` does not exist at first. */
function fileCases(files: string): readonly Case[] {
  const upload: ClientCall = { do: 'upload', path: `${files}/abcdef`, name: 'a.dem', tag: 'league' };
  const SHA = 'bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721';
  const upper = (state: string, parts: readonly object[]) => ({ id: ID, state, demo_url: 'u', parts });
  const partOf = (part: number) => `/api/uploads/${ID}/part?part=${part}`;
  const part = (number: number, address: string) => ({
    part: number,
    offset: (number - 1) * 4,
    bytes: number === 1 ? 4 : 2,
    url: address + partOf(number),
  });
  const download: ClientCall = { do: 'download', id: CLIP, path: `${files}/clip.mp4` };
  return [
    {
      name: 'is uploaded in parts',
      call: upload,
      replies: (address) => [
        { status: 201, body: upper('open', [part(1, address), part(2, address)]) },
        ...['resets' as const, nothing, unavailable, nothing],
        ...[unavailable, ok(upper('complete', []))],
      ],
      value: upper('complete', []),
      progress: [0, 4, 6],
      waits: [...backOff(1), ...backOff(1), ...backOff(1)],
      requests: [
        ...['POST /api/uploads', `PUT ${partOf(1)}`, `PUT ${partOf(1)}`, `PUT ${partOf(2)}`, `PUT ${partOf(2)}`],
        ...[`POST /api/uploads/${ID}/complete`, `POST /api/uploads/${ID}/complete`],
      ],
      headers: { authorization: times(7, nothing).map(() => 'Bearer tr_met_1') },
      bodies: [{ name: 'a.dem', bytes: 6, sha256: SHA, tag: 'league' }, 'abcd', 'abcd', 'ef', 'ef'],
    },
    {
      name: 'is uploaded further after an interrupted upload: only the parts that are missing',
      call: upload,
      replies: (address) => [ok(upper('open', [part(2, address)])), ...[nothing, ok(upper('complete', []))]],
      value: upper('complete', []),
      progress: [4, 6],
      bodies: [null, 'ef'],
    },
    {
      name: 'is not uploaded again',
      call: upload,
      replies: [ok(upper('complete', []))],
      value: upper('complete', []),
      progress: [6],
      requests: ['POST /api/uploads'],
    },
    {
      name: 'that changed meanwhile is refused',
      call: upload,
      replies: [ok(upper('open', [])), problem('upload_incomplete', 409)],
      error: { class: 'problem', code: 'upload_incomplete' },
      progress: [6],
    },
    {
      name: 'is saved, without showing the key',
      call: download,
      replies: ['resets', { status: 200, headers: { 'Content-Type': 'video/mp4' }, body: 'the clip' }],
      value: null,
      waits: backOff(1),
      requests: times(2, nothing).map(() => `GET /clips/${CLIP}/video.mp4`),
      headers: { authorization: [null, null] },
    },
    {
      name: 'that breaks off is not saved',
      call: download,
      replies: ['breaks off'],
      error: {},
    },
    {
      name: 'that is gone is not saved',
      call: download,
      replies: [problem('gone', 410)],
      error: { class: 'problem', code: 'gone' },
    },
  ];
}
