import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEvent } from '@laihoe/demoparser2';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSampleMatch, writeDemoFile } from '#demo-writer/index.ts';
import type { ClipDetail } from '#protocol/clip/clip-view.ts';
import type { Plan } from '#protocol/clip/plan.ts';
import type { Demo, DemoMatch } from '#protocol/demo/demos.ts';
import type { JobDetail } from '#protocol/job/job-detail.ts';
import { serveFile } from '#stack/listen.ts';
import { startTestStack, type TestStack } from '../../support/test-stack.ts';
import { copyWithoutEntities } from '../../support/without-entities.ts';
import { haveRealDemos, realDemo } from '../render-host/match/real-demos.ts';

/** Few frames, so that a clip takes a second or two. */
const ROUND = { fps: 5, pre_kill_padding: 0.5, post_kill_padding: 0.5 };
const AROUND = 32;

/** A death as demoparser2 reads it. */
interface Death {
  readonly tick: number;
  readonly attacker_steamid: string | null;
  readonly user_steamid: string | null;
  readonly attacker_team_num: number;
  readonly user_team_num: number;
  readonly weapon: string;
  readonly headshot: boolean;
  readonly is_warmup_period: boolean;
}

type Kill = DemoMatch['kills'][number];
/** What `inspect_demo` returns. */
type View = Omit<Demo, 'match'> &
  Omit<DemoMatch, 'highlights' | 'best_of'> & {
    readonly highlights: readonly (DemoMatch['highlights'][number] & { readonly clip: object })[];
    readonly best_of?: object | null;
  };
type Inspect = (filter?: object) => Promise<View>;

let stack: TestStack;
let client: Client;
let folder: string;
let sample: Awaited<ReturnType<typeof serveFile>>;
/** Kills of enemies in the sample, and where its rounds begin, outside of the warmup. */
let kills: Death[];
let starts: number[];

const connect = async (mode: 'legacy' | 'auto', key = stack.credentials.metered_key) => {
  const made = new Client({ name: 'scripted', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await made.connect(new StreamableHTTPClientTransport(new URL('/mcp', stack.baseUrl), { requestInit }));
  return made;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-'));
  const path = join(folder, 'sample.dem');
  // demoparser2 finds no players by ids over 65,000.
  await writeDemoFile(createSampleMatch({ rounds: 3, seed: 2 }), path, { wireId: (slot) => slot });
  const deaths: Death[] = parseEvent(path, 'player_death', ['team_num'], ['is_warmup_period']);
  kills = deaths.filter((one) => !one.is_warmup_period && one.attacker_team_num !== one.user_team_num);
  const freezeEnds: Death[] = parseEvent(path, 'round_freeze_end', [], ['is_warmup_period']);
  starts = freezeEnds.filter((one) => !one.is_warmup_period).map(({ tick }) => tick);
  sample = await serveFile(path);
  stack = await startTestStack({ hosts: 2 });
  client = await connect('auto');
});

afterAll(async () => {
  await client.close();
  await stack.remove();
  await sample.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Calls a tool, and returns the data of its result. Throws the problem of a failed call. */
async function call<Data>(name: string, args: object, by = client): Promise<Data> {
  const { structuredContent, isError } = await by.callTool({ name, arguments: { ...args } });
  const { data } = structuredContent as { data: Data };
  if (isError) throw new Error(`${name}: ${JSON.stringify(data)}`);
  return data;
}

const inspectOf =
  (demo_url: string): Inspect =>
  async (filter = {}) => {
    for (;;) {
      const view = await call<View>('inspect_demo', { demo_url, ...filter });
      if (view.state !== 'pending') return view;
    }
  };

/** Plans a clip, renders the plan, and waits for the clip. */
async function render(demo_url: string, clip: object) {
  const { plans } = await call<{ plans: (Plan & { plan_id: string })[] }>('plan_clips', { demo_url, clips: [clip] });
  const [plan] = plans;
  if (!plan?.plan_id) throw new Error(JSON.stringify(plan));
  const { job_id } = await call<{ job_id: string }>('render', { plan_id: plan.plan_id });
  for (;;) {
    const watched = await call<{ job: JobDetail; clip: ClipDetail }>('watch', { job_id });
    if (watched.job.status === 'done') return { plan, job_id, clip: watched.clip };
    if (watched.job.status === 'error') throw new Error(JSON.stringify(await call('explain_failure', { job_id })));
  }
}

const ticksOf = (some: readonly { tick: number }[]) => some.map(({ tick }) => tick);
const by = (steam64_id: string) => kills.filter(({ attacker_steamid }) => attacker_steamid === steam64_id);
// Not `total_rounds_played`: it counts a kill after the decision for the next round.
const inRound = (round: number) => (one: Death) => starts.filter((start) => start <= one.tick).length === round;

/** Writes a timeline with a segment around each kill, seen by the killer. */
function timeline({ players }: View, some: readonly Kill[]) {
  const segment = ({ tick, attacker }: Kill) => {
    const { steam64_id = '' } = players[attacker] ?? {};
    return { steam64_id, start_tick: tick - AROUND, end_tick: tick + AROUND };
  };
  return { fps: 5, timeline: some.map(segment) };
}

/** Returns the player with the most kills, or one further down. */
function killer({ players }: View, place = 0) {
  const player = players.toSorted((a, b) => b.kills - a.kills)[place];
  if (!player) throw new Error('there are too few players');
  const [best] = Object.entries(player.kills_by_round).toSorted(([, a], [, b]) => b - a);
  return { id: player.steam64_id, round: Number(best?.[0]) };
}

/** A task, as an agent works on it with the tools: the clip, and its kills as demoparser2 has them. */
type Task = (inspect: Inspect) => Promise<{ clip: object; expected: readonly Death[] }>;

const TASKS: Readonly<Record<string, Task>> = {
  'the best round of a player': async (inspect) => {
    const { id, round } = killer(await inspect());
    return { clip: { ...ROUND, steam64_id: id, round }, expected: by(id).filter(inRound(round)) };
  },
  'the best moment of the match': async (inspect) => {
    const { highlights, players } = await inspect();
    const [best] = highlights;
    const id = players[best?.player ?? -1]?.steam64_id ?? '';
    return { clip: { ...best?.clip, ...ROUND }, expected: by(id).filter(inRound(best?.round ?? 0)) };
  },
  'all headshots of a player': async (inspect) => {
    const view = await inspect({ headshot: true });
    const { id } = killer(view);
    const shown = view.kills.filter(({ attacker }) => view.players[attacker]?.steam64_id === id);
    return { clip: timeline(view, shown), expected: by(id).filter(({ headshot }) => headshot) };
  },
  'all kills with the weapon that has the fewest': async (inspect) => {
    const weapons = (await inspect()).kills.map(({ weapon }) => weapon);
    const count = (weapon: string) => weapons.filter((one) => one === weapon).length;
    const [rarest] = weapons.toSorted((a, b) => count(a) - count(b));
    const view = await inspect({ weapon: rarest });
    return { clip: timeline(view, view.kills), expected: kills.filter(({ weapon }) => weapon === rarest) };
  },
  'the first kill of each round': async (inspect) => {
    const view = await inspect();
    const firsts = view.kills.filter(({ round }, at) => view.kills[at - 1]?.round !== round);
    return { clip: timeline(view, firsts), expected: [1, 2, 3].flatMap((round) => kills.find(inRound(round)) ?? []) };
  },
  'all deaths of a player, as their killers saw them': async (inspect) => {
    const { id } = killer(await inspect(), 2);
    const view = await inspect({ victim: id });
    return { clip: timeline(view, view.kills), expected: kills.filter(({ user_steamid }) => user_steamid === id) };
  },
  'the best moment of a team': async (inspect) => {
    const { highlights, players, best_of } = await inspect({ team: 'CT', best_of: 1 });
    const id = players[highlights[0]?.player ?? -1]?.steam64_id ?? '';
    return { clip: { ...best_of, fps: 5 }, expected: by(id).filter(inRound(highlights[0]?.round ?? 0)) };
  },
};

/** Checks that the shots have these kills, and no other of their players, and that the clip is as long as its plan. */
function check({ plan, clip }: Awaited<ReturnType<typeof render>>, expected: readonly Death[]): void {
  expect(expected.length).toBeGreaterThan(0);
  expect(plan.shots.flatMap((shot) => shot.kill_ticks)).toEqual(ticksOf(expected));
  for (const { start_tick, end_tick, kill_ticks, steam64_id, subject_steam64_id = steam64_id } of plan.shots) {
    const inside = by(subject_steam64_id).filter(({ tick }) => tick >= start_tick && tick < end_tick);
    expect(kill_ticks).toEqual(ticksOf(inside));
  }
  expect(clip.state).toBe('ready');
  expect(Math.abs(clip.duration_seconds - plan.seconds)).toBeLessThan(0.01);
  expect(clip.title).toMatch(new RegExp(`^${expected.length === 1 ? '1 kill' : `${expected.length} kills`} `));
}

describe('tasks of an agent, checked with demoparser2', () => {
  it.concurrent.each(Object.entries(TASKS))('%s', async (_, task) => {
    const { clip, expected } = await task(inspectOf(sample.url));
    check(await render(sample.url, clip), expected);
  });
});

describe.runIf(haveRealDemos)('tasks with a demo that the game recorded', () => {
  it.each([
    ['Ferris', 'Partridge'],
    ['Walt', 'Vox'],
  ])('the kill of %s', async (name, victim) => {
    const copy = join(folder, 'without-entities.dem');
    await copyWithoutEntities(realDemo('14090.dem'), copy);
    const deaths: Death[] = parseEvent(copy, 'player_death', [], []);
    const { url, stop } = await serveFile(realDemo('14090.dem'));
    try {
      const view = await inspectOf(url)();
      expect(view.kills.map(({ tick, weapon }) => [tick, weapon])).toEqual(deaths.map((one) => [one.tick, one.weapon]));
      const at = view.kills.findIndex(({ attacker }) => view.players[attacker]?.name === name);
      const [kill] = view.kills.slice(at);
      expect(view.players[kill?.victim ?? -1]?.name).toBe(victim);
      const { plan, clip } = await render(url, timeline(view, kill ? [kill] : []));
      const { tick = 0 } = deaths[at] ?? {};
      expect(plan.shots).toMatchObject([{ start_tick: tick - AROUND, end_tick: tick + AROUND, kill_ticks: [tick] }]);
      expect(clip).toMatchObject({ state: 'ready', duration_seconds: 1, title: `1 kill by ${name} on Italy` });
    } finally {
      await stop();
    }
  });
});

it('clients of an earlier revision get the same tools, and a key that only reads renders nothing', async () => {
  const names = async (by: Client) => (await by.listTools()).tools.map(({ name }) => name);
  const earlier = await connect('legacy');
  expect([client.getNegotiatedProtocolVersion(), earlier.getNegotiatedProtocolVersion()]).toEqual([
    ...['2026-07-28', '2025-11-25'],
  ]);
  expect(await names(earlier)).toEqual(await names(client));
  const clips = [{ ...ROUND, steam64_id: killer(await inspectOf(sample.url)()).id }];
  const { plans } = await call<{ plans: { plan_id: string }[] }>(
    'plan_clips',
    { demo_url: sample.url, clips },
    earlier,
  );
  const { job_id } = await call<{ job_id: string }>('render', { plan_id: plans[0]?.plan_id }, earlier);
  const again = await call<{ job_id: string }>('render', { plan_id: plans[0]?.plan_id });
  expect(again.job_id).toBe(job_id);

  const { admin_token, account_id, metered_key } = stack.credentials;
  const made = await fetch(`${stack.baseUrl}/admin/accounts/${account_id}/keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${admin_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind: 'metered', scope: 'read' }),
  });
  const reader = await connect('auto', ((await made.json()) as { key: string }).key);
  const asked = { demo_url: sample.url, clips };
  expect(await call('plan_clips', asked, reader)).toMatchObject({ plans: [{ plan_id: null }] });
  await expect(call('render', { plan_id: plans[0]?.plan_id }, reader)).rejects.toThrow('scope submit');
  await reader.close();
  await earlier.close();
  await expect(connect('auto', `${metered_key.slice(0, -1)}?`)).rejects.toThrow();
});
