import { describe, expect, it } from 'vitest';
import { formatSecret } from '#domain/account/secret-key.ts';
import { type BudgetName, LIMITS, type LimitValues } from '#domain/operate/limits.ts';
import { createService } from '#service/lib/service.ts';
import { insertAgentPlans } from '#storage/account/agent-plans.ts';
import { add } from '#storage/lib/budgets.ts';
import { createAccount, createHost, isolate, statuses, times } from '../support/accounts.ts';
import { PICTURES } from '../support/pictures.ts';
import { newContent } from '../support/rules.ts';
import { ADMIN_TOKEN, bindings, roundRequest, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

declare global {
  /** Of Vite. */
  interface ImportMeta {
    glob<T>(pattern: string, options: object): Record<string, () => Promise<T>>;
  }
}

/** A row of the table: its group and name. */
type Row = { [G in keyof typeof LIMITS]: `${G}.${keyof (typeof LIMITS)[G] & string}` }[keyof typeof LIMITS];

/** Rows whose limit takes a scene of its own, each with the file and the test that goes beyond it. */
const ELSEWHERE = {
  'account.agent_seconds_a_day': ['mcp', 'is never exceeded by ten agents at once'],
  'account.frames': ['limits', 'has a limit of frames for a clip'],
  'account.unbilled': ['limits', 'has a daily limit on the time of hosts'],
  'account.fallback': ['fallback', 'ends after the time that the account has'],
  'ingest.clips': ['rules', 'stays within the budgets of the day of the rule and of the key'],
  'fixed.webhook_attempts': ['webhooks', 'webhook attempts besides those for finished clips'],
  'fixed.webhook_attempt_kb': ['webhooks', 'webhook attempts besides those for finished clips'],
  'fixed.streams': ['permits', 'event streams of an account are limited together'],
  'fixed.account_streams': ['permits', 'event streams of an account are limited together'],
  'fixed.tool_calls': ['permits', 'agents of an account wait in ten calls of tools'],
  'fixed.body_kib': ['permits', 'of JSON have room in an account and in the isolate'],
  'key.refusals': ['ingest', 'and fifty of a key a day'],
  'fixed.keys_made': ['access', 'makes twenty keys in a day'],
  'test.webhook_attempts': ['webhooks', 'webhook attempts besides those for finished clips'],
  'test.webhook_attempt_kb': ['webhooks', 'webhook attempts besides those for finished clips'],
  'host.polls': ['permits', 'a host holds 64 polls with its token'],
  'isolate.all_body_kib': ['permits', 'of JSON have room in an account and in the isolate'],
  'address.views': ['views', 'of one address count up to a limit'],
  'job.followers': ['limits', 'is followed by so many clients at a time'],
  'job.reruns': ['limits', 'may run 60 times an hour'],
  'job.resends': ['limits', 'has a limit of resends an hour'],
} as const satisfies Partial<Record<Row, readonly [file: string, title: string]>>;

type Limited = Partial<LimitValues>;
/** Returns the statuses of three calls, of which the limit takes two. */
type Probe = (limits: Limited) => Promise<number[]>;

const REFUSED = { demo_url: 'https://elsewhere.example.org/match.dem' };
const job = () => roundRequest(REFUSED);

/** Makes three calls by an account's key, or by a token. `body`: of the call, from 0. */
function thrice(
  method: string,
  path: string | ((i: number) => string),
  body: (i: number) => BodyInit | object | null = () => null,
  { token, headers = () => ({}) }: { token?: () => Promise<string>; headers?: () => Record<string, string> } = {},
): Probe {
  return async (limits) => {
    const key = token ? await token() : (await createAccount()).metered;
    const send = isolate({}, {}, limits);
    const answers = await times(3, (i) => {
      const sent = body(i);
      const bytes = sent === null || sent instanceof Uint8Array ? sent : JSON.stringify(sent);
      return send(method, typeof path === 'string' ? path : path(i), key, bytes, headers());
    });
    return statuses(answers);
  };
}

/** The same by an account that has used some of a budget. */
function filled(name: BudgetName, used: number, ...call: Parameters<typeof thrice>): Probe {
  return async (limits) => {
    const { id, metered } = await createAccount();
    await add(createService(bindings).database, [{ owner: id, name, at: Date.now(), amount: used }]);
    const [method, path, body, more] = call;
    return thrice(method, path, body, { ...more, token: async () => metered })(limits);
  };
}

const invented = () => ({
  Authorization: `Bearer ${formatSecret('metered', crypto.getRandomValues(new Uint8Array(64)))}`,
});
const upload = () => ({ name: 'a.dem', bytes: 1000, sha256: newContent() });
const IMAGE = { headers: () => ({ 'Content-Type': 'image/png' }) };
const WATERMARKS = '/api/assets?kind=watermark';

/** Creates a key of one more account. */
async function newKey(more: object): Promise<string> {
  const { id } = await createAccount();
  const made = await sendJson(ADMIN_TOKEN, 'POST', `/admin/accounts/${id}/keys`, { kind: 'metered', ...more });
  return (await made.json<{ key: string }>()).key;
}

/** A demo as game servers send it. */
function demo(bytes: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes);
  crypto.getRandomValues(file.subarray(16, 32));
  file.set(new TextEncoder().encode('PBDEMS2\0'));
  return file;
}
const ingest = (bytes: number, token: () => Promise<string>) =>
  thrice('POST', '/api/ingest', () => demo(bytes), { token, headers: () => ({ 'Content-Length': String(bytes) }) });
const ofIngest = () => newKey({ scope: 'ingest' });
const ofTest = () => newKey({ kind: 'test' });

/** Begins an upload of one part, and sends it three times. */
const part: Probe = async (limits) => {
  const { metered } = await createAccount();
  const begun = await sendJson(metered, 'POST', '/api/uploads', upload());
  const { id } = await begun.json<{ id: string }>();
  const send = () => new Uint8Array(1000);
  const token = async () => metered;
  return thrice('PUT', `/api/uploads/${id}/part?part=1`, send, {
    token,
    headers: () => ({ 'Content-Length': '1000' }),
  })(limits);
};

const MIB = 1024 * 1024;
/** Beyond each limit of 2, in the order of the table. */
const PROBES: Record<Exclude<Row, keyof typeof ELSEWHERE>, readonly [expected: readonly number[], probe: Probe]> = {
  'account.requests': [[200, 200, 429], thrice('GET', '/api/jobs')],
  'account.submits': [[201, 201, 429], thrice('POST', '/api/clips', () => job())],
  'account.uploads': [[201, 201, 429], thrice('POST', '/api/uploads', upload)],
  'account.follows': [
    [200, 200, 429],
    async (limits) => {
      const { metered } = await createAccount();
      // The job has ended, so its stream ends at once.
      const path = `/api/jobs/${await submit(metered, REFUSED)}/events`;
      return thrice('GET', path, () => null, { token: async () => metered })(limits);
    },
  ],
  'account.jobs': [[201, 201, 429], thrice('POST', '/api/clips', () => roundRequest())],
  'account.jobs_a_day': [[201, 201, 429], thrice('POST', '/api/clips', () => job())],
  'account.jobs_kept': [[201, 201, 429], thrice('POST', '/api/clips', () => job())],
  'account.jobs_mib': [[201, 429, 429], filled('jobs_mib', 2 * MIB - 1, 'POST', '/api/clips', () => job())],
  'account.open_uploads': [[201, 201, 429], thrice('POST', '/api/uploads', upload)],
  'account.assets': [[201, 201, 429], thrice('POST', WATERMARKS, () => PICTURES.png, IMAGE)],
  'account.asset_mib': [
    [201, 429, 429],
    filled('asset_mib', 2 * MIB - PICTURES.png.length, 'POST', WATERMARKS, () => PICTURES.png, IMAGE),
  ],
  'ingest.mib': [[201, 201, 429], ingest(MIB - 1000, ofIngest)],
  'ingest.demos': [[201, 201, 429], ingest(1000, ofIngest)],
  'fixed.webhook_tests': [
    [200, 200, 429],
    thrice('POST', '/api/webhooks/test', () => ({ webhook_url: 'https://127.0.0.1:1/', event: 'job.failed' })),
  ],
  'fixed.plans': [
    [1, 1, 0],
    async ({ plans: most = 0 }) => {
      const [{ id: accountId }, { database, now }] = [await createAccount(), createService(bindings)];
      const plan = () => [{ id: crypto.randomUUID(), request: { demo_url: '' }, planSha256: '', length: 1 }];
      const made = () => insertAgentPlans(database, plan(), { accountId, now: now(), most });
      return (await times(3, made)).map(Number);
    },
  ],
  'fixed.viewing_changes': [[200, 200, 429], thrice('PATCH', '/api/viewing', () => ({ show_views: true }))],
  'fixed.demo_mib': [[201, 201, 429], thrice('POST', '/api/uploads', upload)],
  'fixed.ingest_mb': [[413, 413, 413], ingest(2_000_001, ofIngest)],
  'fixed.inspections': [
    [202, 202, 429],
    thrice('POST', '/api/demos', (i) => ({ demo_url: `https://demos.example.com/${newContent()}-${i}.dem` })),
  ],
  'fixed.rules': [
    [201, 201, 429],
    thrice('POST', '/api/rules', () => ({ name: newContent().slice(0, 8), render: { what: 'highlights' } })),
  ],
  'fixed.keys': [[201, 201, 429], thrice('POST', '/api/keys', () => ({ kind: 'metered', scope: 'read' }))],
  'fixed.webhook_secrets': [[201, 201, 429], thrice('POST', '/api/webhook-secrets')],
  'test.jobs_kept': [[201, 201, 429], thrice('POST', '/api/clips', () => job(), { token: ofTest })],
  'key.file_writes': [[204, 204, 429], part],
  'host.host_requests': [
    [204, 204, 429],
    thrice('POST', '/gateway/v1/claim/end', () => ({ poll_id: crypto.randomUUID() }), {
      token: async () => (await createHost()).token,
    }),
  ],
  'address.key_guesses': [[401, 401, 429], thrice('GET', '/api/jobs', () => null, { headers: invented })],
  'address.clip_guesses': [[404, 404, 429], thrice('GET', () => `/clips/${crypto.randomUUID()}`)],
  'job.pending_webhooks': [
    [200, 429],
    async () => {
      const { metered } = await createAccount();
      const jobId = await submit(metered, { ...REFUSED, webhook_url: createInbox('500').url });
      const resend = () => sendJson(metered, 'POST', `/api/jobs/${jobId}/resend-webhook`);
      return statuses(await times(LIMITS.job.pending_webhooks.preset, resend)).slice(-2);
    },
  ],
  'upload.part_writes': [[204, 204, 409], part],
};

describe('what one account can hold or spend', () => {
  it.each(Object.entries(ELSEWHERE))('%s is tried elsewhere', async (_, [file, title]) => {
    const files = import.meta.glob<string>('./*.test.ts', { query: '?raw', import: 'default' });
    expect(await files[`./${file}.test.ts`]?.()).toContain(title);
  });

  it.each(Object.entries(PROBES))('%s: the call beyond it is refused', async (row, [expected, probe]) => {
    const [group = '', name = ''] = row.split('.');
    expect(Object.keys(LIMITS)).toContain(group);
    const own = { [name]: 2 };
    const { ingest: ofKey, test } = createService(bindings).settings.limits;
    const limits = {
      ...own,
      ...(group === 'ingest' && { ingest: { ...ofKey, ...own } }),
      ...(group === 'test' && { test: { ...test, ...own } }),
    };
    expect(await probe(limits)).toEqual(expected);
  });
});
