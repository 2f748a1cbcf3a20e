import { expect, it } from 'vitest';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { PLAYER, readJob, send, sendJson } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();

interface Result {
  readonly index: number;
  readonly status: number;
  readonly job_id: string;
  readonly problem: { readonly errors?: { path: string }[] } | null;
}

async function batch(body: unknown): Promise<Result[]> {
  const response = await sendJson(scene.account.metered, 'POST', '/api/clips/batch', body);
  expect(response.status).toBe(200);
  return (await response.json<{ results: Result[] }>()).results;
}

const demo = (name: string) => `https://demos.example.com/${name}.dem`;
const defaults = { demo_url: demo('a'), steam64_id: PLAYER, fps: 60 };

it('each submit is answered on its own: a new job, a replay, one that breaks a rule', async () => {
  const clips = [
    { round: 1, idempotency_key: 'one' },
    { round: 0 },
    { round: 2, fps: 30, idempotency_key: 'two' },
    { timeline: [], webhook_url: 'http://localhost/' },
  ];
  const results = await batch({ defaults, clips });
  expect(results.map(({ index, status }) => [index, status])).toEqual([0, 1, 2, 3].map((i) => [i, i % 2 ? 400 : 201]));
  expect(results[1]?.problem?.errors?.map(({ path }) => path)).toEqual(['round']);
  expect(results[3]?.problem?.errors?.map(({ path }) => path)).toEqual(expect.arrayContaining(['timeline']));
  expect(await readJob(scene.account.metered, results[0]?.job_id ?? '')).toMatchObject({ fps: 60 });
  expect(await readJob(scene.account.metered, results[2]?.job_id ?? '')).toMatchObject({ fps: 30 });
  const again = await batch({ defaults: { ...defaults, fps: 50 }, clips: [clips[0], clips[2]] });
  const same = { status: 200, replayed: true };
  expect(again).toMatchObject([
    { ...same, job_id: results[0]?.job_id, body_differs: true },
    { ...same, job_id: results[2]?.job_id, body_differs: false },
  ]);
});

it('the extras of each, and those that all share, come back to the last digit', async () => {
  const inbox = createInbox();
  const shared = { ...defaults, webhook_url: inbox.url };
  const [a, b] = ['12345678901234567890', '{"n":1.0}'];
  const text = JSON.stringify({
    defaults: { ...shared, extras: 'A' },
    clips: [{ round: 1 }, { round: 2, extras: 'B' }],
  });
  const sent = text.replace('"A"', a).replace('"B"', b);
  const headers = { Authorization: `Bearer ${scene.account.metered}`, 'Content-Type': 'application/json' };
  const response = await send('/api/clips/batch', { method: 'POST', headers, body: sent });
  const { results } = await response.json<{ results: Result[] }>();
  for (const { job_id } of results) {
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${job_id}/cancel`);
    await fireAlarm(job_id);
  }
  const bodies = (await inbox.received()).map(({ body }) => body);
  expect(bodies.map((body) => body.replace(/^.*"extras":|}$/g, ''))).toEqual([a, b]);
});

it('those of one demo are handed out one after the other', async () => {
  const names = ['a', 'b', 'a', 'b', 'a', 'b'];
  const clips = names.map((name) => ({ demo_url: demo(name) }));
  const mine = (await batch({ defaults, clips })).map(({ job_id }) => job_id);
  const order: (string | undefined)[] = [];
  for (let grant = await scene.host.claim(); grant; grant = await scene.host.claim()) {
    await scene.host.heartbeat(grant);
    if (mine.includes(grant.job_id)) order.push(grant.order.demo_url);
  }
  expect(order).toHaveLength(6);
  expect(new Set(order.slice(0, 3)).size).toBe(1);
  expect(new Set(order.slice(3)).size).toBe(1);
});

it.each([
  [{}, 'clips'],
  [{ clips: [] }, 'clips'],
  [{ clips: Array.from({ length: 51 }, () => ({})) }, 'clips'],
  [{ clips: [1] }, 'clips[0]'],
  [{ defaults: { idempotency_key: 'k' }, clips: [{}] }, 'defaults'],
  [{ clips: [{}], clip: [] }, 'clip'],
])('a body that is no batch is refused whole: %j', async (body, path) => {
  const response = await sendJson(scene.account.metered, 'POST', '/api/clips/batch', body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ path }] });
});
