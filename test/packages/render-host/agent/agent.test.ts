import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { HostInspection } from '#protocol/demo/demos.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import type { HostCapabilities } from '#protocol/host/host-capabilities.ts';
import { runAgent } from '#render-host/agent/agent.ts';
import { createGatewayClient } from '#render-host/agent/gateway-client.ts';
import { createLogTail, type LogTail } from '#render-host/machine/log-tail.ts';
import type { InspectDemo } from '#render-host/pipeline/fetch-match.ts';
import type { RenderClip } from '#render-host/pipeline/render-clip.ts';
import { createFakeGateway, JOB_ID, type Misbehaviour } from './fake-gateway.ts';

const CAPABILITIES: HostCapabilities = {
  renderer: 'radar',
  max_resolution: 1440,
  max_fps: 120,
  game_build: null,
  agent_version: 'test',
};
const VIDEO = Buffer.from(Array.from({ length: 2500 }, (_, i) => i % 251));
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const GRANT_ID = '99999999-2222-4333-8444-555555555555';
const FACTS = { kills: 3, players: ['Ferris'], map: 'de_nuke', round: null };

/** Replaces the pipeline: writes two files. */
const renders: RenderClip = async ({ workDir, onProgress }) => {
  const videoPath = join(workDir, 'clip.mp4');
  const thumbnailPath = join(workDir, 'thumbnail.jpg');
  await writeFile(videoPath, VIDEO);
  await writeFile(thumbnailPath, 'jpeg');
  onProgress({ phase: 'render', stage: 'thumbnail', progress: 1 });
  return {
    ok: true,
    videoPath,
    thumbnailPath,
    durationSeconds: 2,
    frames: 60,
    bytes: VIDEO.length,
    facts: FACTS,
  };
};

/** Works until it is stopped. */
const rendersForEver: RenderClip = ({ signal }) =>
  new Promise((resolve) => {
    const stop = () => resolve({ ok: false, code: 'cs2_unavailable', detail: 'the render was stopped' });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });

/** Renders nothing, and records the answers for the job's watermark. */
function fetches(answers: unknown[]): RenderClip {
  return async ({ fetchAsset, signal }) => {
    const asked = fetchAsset?.('watermark', signal) ?? Promise.reject(new Error('nobody to ask'));
    answers.push(await asked.catch((error: unknown) => error));
    return { ok: false, code: 'render_failed', detail: 'nothing was drawn' };
  };
}

let workDir: string;
let gateway: Awaited<ReturnType<typeof createFakeGateway>>;
let drain: AbortController;

beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'tickreel-agent-'));
  drain = new AbortController();
});

afterEach(async () => {
  drain.abort();
  await gateway.close();
  await rm(workDir, { recursive: true, force: true });
});

interface Start {
  readonly misbehave?: Misbehaviour;
  readonly watermark?: Uint8Array;
  readonly granting?: Parameters<typeof createFakeGateway>[2];
  readonly client?: Parameters<typeof createGatewayClient>[2];
  readonly inspectDemo?: InspectDemo;
  readonly log?: Logger;
  readonly logTail?: LogTail;
}

/** Starts an agent against a gateway; the promise ends when the agent has ended. */
async function start(renderClip: RenderClip, how: Start = {}): Promise<{ ended: Promise<void> }> {
  const { misbehave, watermark = null, granting, client, log = pino({ level: 'silent' }), ...more } = how;
  gateway = await createFakeGateway(misbehave, watermark, granting);
  const work = { gateway: createGatewayClient(gateway.url, 'tr_host_test', client), renderClip, workDir, log, ...more };
  return { ended: runAgent(work, CAPABILITIES, drain.signal) };
}

/** Waits until the agent asks for more work, then ends it. */
async function untilIdle({ ended }: { readonly ended: Promise<void> }): Promise<void> {
  await gateway.next('claim');
  await gateway.next('claim');
  drain.abort();
  await ended;
}

describe('the render host agent', () => {
  it('renews its lease before it works, uploads in parts and completes', async () => {
    await untilIdle(await start(renders));
    expect(gateway.kinds().slice(0, 2)).toEqual(['claim', 'heartbeat']);
    const parts = gateway.of('uploads/part').filter(({ query }) => query.get('file') === 'video');
    expect(Buffer.concat(parts.map(({ body }) => body))).toEqual(VIDEO);
    expect(parts.map(({ body }) => body.length)).toEqual([1000, 1000, 500]);
    for (const { query, body } of parts) expect(query.get('sha256')).toBe(sha256(body));
    expect(gateway.json('complete')).toEqual([
      {
        fence: 7,
        title: '3 kills by Ferris on Nuke',
        facts: FACTS,
        duration_seconds: 2,
        video: { bytes: 2500, sha256: sha256(VIDEO) },
        thumbnail: { bytes: 4, sha256: sha256(Buffer.from('jpeg')) },
      },
    ]);
    expect(await readdir(workDir)).toEqual([]);
  });

  it('makes a storyboard and sends it where the gateway takes one', async () => {
    const board = { columns: 6, rows: 1 };
    const withBoard: RenderClip = async (request) => {
      expect(request.wantsStoryboard).toBe(true);
      const path = join(request.workDir, 'storyboard.jpg');
      await writeFile(path, 'board');
      const rendered = await renders(request);
      return rendered.ok ? { ...rendered, storyboard: { path, ...board, intervalSeconds: 0.5 } } : rendered;
    };
    await untilIdle(await start(withBoard, { granting: { optional_files: ['something new', 'storyboard'] } }));
    expect(gateway.json('uploads').map(({ file }) => file)).toEqual(['video', 'thumbnail', 'storyboard']);
    const storyboard = { bytes: 5, sha256: sha256(Buffer.from('board')), ...board, interval_seconds: 0.5 };
    expect(gateway.json('complete')).toMatchObject([{ storyboard }]);
  });

  it.each([
    { optional_files: ['tracks'], reported: { tracks: { bytes: 6, sha256: sha256(Buffer.from('tracks')) } } },
    { optional_files: ['storyboard'], reported: {} },
  ])('uploads the tracks of an inspection if it is to send $optional_files', async ({ optional_files, reported }) => {
    const demo: HostInspection = HostInspection.parse(FOUND_DEMO);
    const inspectDemo: InspectDemo = async ({ tracksPath }) => {
      if (tracksPath !== undefined) await writeFile(tracksPath, 'tracks');
      return { ok: true, demo };
    };
    const granting = { optional_files, order: { selection: { mode: 'inspect' } } } as const;
    await untilIdle(await start(renders, { granting, inspectDemo }));
    expect(gateway.json('uploads').map(({ file }) => file)).toEqual(Object.keys(reported));
    expect(gateway.json('inspected')).toEqual([{ fence: 7, demo, ...reported }]);
    expect(await readdir(workDir)).toEqual([]);
  });

  it.each<[string, { selection?: { mode: 'inspect' } }]>([
    ['an inspection', { selection: { mode: 'inspect' } }],
    ['a render', {}],
  ])('reports %s that fails with what it found out', async (_, order) => {
    const facts = { demos: ['a.dem', 'b.dem'], received: 'application/zip', bytes: 9 };
    const fails = async () => ({ ok: false, code: 'decompress_failed', detail: 'two demos', facts }) as const;
    await untilIdle(await start(fails, { granting: { order }, inspectDemo: fails }));
    expect(gateway.json('fail')).toEqual([{ fence: 7, code: 'decompress_failed', detail: 'two demos', facts }]);
  });

  it('names its grant in each later request', async () => {
    const asksAndRenders: RenderClip = async (request) => {
      await request.fetchAsset?.('watermark', request.signal);
      return renders(request);
    };
    await untilIdle(await start(asksAndRenders, { watermark: VIDEO, granting: { request_id: GRANT_ID } }));
    const kinds = ['heartbeat', 'assets/watermark', 'uploads', 'uploads/part', 'uploads/complete', 'complete'];
    for (const kind of kinds) {
      expect(new Set(gateway.of(kind).map(({ requestId }) => requestId)), kind).toEqual(new Set([GRANT_ID]));
    }
    expect(gateway.of('claim').map(({ requestId }) => requestId)).toEqual([undefined, undefined]);
  });

  it.each([
    ['of the account that the gateway names', { account_key: 'a'.repeat(32) }, 'a'.repeat(32)],
    ['of nobody where it names none', {}, null],
  ])('renders the demo as one %s', async (_, granting, account) => {
    const asked: unknown[] = [];
    const renderClip: RenderClip = (request) => {
      asked.push(request.account);
      return renders(request);
    };
    await untilIdle(await start(renderClip, { granting }));
    expect(asked).toEqual([account]);
  });

  it('says which demos it has, the last sixteen', async () => {
    const keptDemos = () => Array.from({ length: 20 }, (_, i) => i.toString(16).padStart(32, '0'));
    await untilIdle(await start(renders, { client: { keptDemos } }));
    const [{ demo_keys }] = gateway.json('claim');
    expect(demo_keys).toEqual(keptDemos().slice(0, 16));
  });

  it('confirms its grant at once again after an error of the gateway', { tags: ['long'] }, async () => {
    const granting = { lease: { fence: 7, ttl_s: 60, heartbeat_s: 10 } };
    const misbehave: Misbehaviour = (kind, nth) => (kind === 'heartbeat' && nth < 2 ? 503 : null);
    const { ended } = await start(rendersForEver, { misbehave, granting });
    for (let beats = 0; beats < 3; beats++) await gateway.next('heartbeat');
    drain.abort();
    await ended;
    expect(gateway.of('heartbeat')).toHaveLength(3);
  });

  it('confirms its grant again before it goes back when the first heartbeat is not answered at all', {
    tags: ['long'],
  }, async () => {
    const asked = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => asked.mockRestore());
    await start(rendersForEver, { misbehave: (kind, nth) => (kind === 'heartbeat' && nth === 0 ? 'silence' : null) });
    await gateway.next('heartbeat');
    await gateway.next('heartbeat');
    expect(gateway.json('heartbeat')).toMatchObject([{ fence: 7 }, { fence: 7 }]);
    // Any later one has half a minute to be answered.
    expect(3 * Math.min(...asked.mock.calls.map(([ms]) => ms))).toBeLessThan(DEFAULT_SCHEDULE.confirmWithin);
  });

  it('hands back a grant that it cannot parse, logs it, and claims again', async () => {
    const said: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void said.push(line) });
    await untilIdle(await start(renders, { granting: { part_bytes: 'large' as never }, log }));
    expect(gateway.kinds().slice(0, 3)).toEqual(['claim', 'release', 'claim']);
    expect(gateway.json('release')).toEqual([{ fence: 7 }]);
    expect(said.map((line) => JSON.parse(line))).toMatchObject([
      { job: JOB_ID, msg: 'a grant cannot be read; its job is handed back', err: { message: /part_bytes/ } },
    ]);
  });

  it('sends a part again after an error of the gateway, and only that part', async () => {
    await untilIdle(
      await start(renders, { misbehave: (kind, nth) => (kind === 'uploads/part' && nth === 1 ? 503 : null) }),
    );
    const sent = gateway.of('uploads/part').map(({ query }) => `${query.get('file')} ${query.get('part')}`);
    expect(sent).toEqual(['video 1', 'video 2', 'video 2', 'video 3', 'thumbnail 1']);
    expect(gateway.json('complete')).toHaveLength(1);
  });

  it('restarts an upload that storage does not know, and fails if that happens again', async () => {
    const loses =
      (most: number): Misbehaviour =>
      (kind, nth) =>
        kind === 'uploads/complete' && nth < most ? 'upload_incomplete' : null;
    await untilIdle(await start(renders, { misbehave: loses(1) }));
    const files = gateway.json('uploads').map(({ file }) => file);
    expect(files).toEqual(['video', 'video', 'thumbnail']);
    expect(gateway.json('complete')).toHaveLength(1);
    await gateway.close();
    drain = new AbortController();
    await untilIdle(await start(renders, { misbehave: loses(Infinity) }));
    expect(gateway.json('uploads')).toHaveLength(2);
    expect(gateway.json('fail')).toMatchObject([{ code: 'upload_error' }]);
  });

  it('reports the code of a failed render, what it goes by, and how far it came', async () => {
    const told = { code: 'no_kills_found', detail: 'none at all', facts: { round_asked: 9, rounds: [1, 2] } } as const;
    const fails: RenderClip = async ({ onProgress }) => {
      onProgress({ phase: 'prefetch', stage: 'parse', progress: 0.2 });
      return { ok: false, ...told };
    };
    await untilIdle(await start(fails));
    expect(gateway.json('fail')).toEqual([{ fence: 7, ...told, stage: 'parse' }]);
  });

  it.each(['uploads', 'uploads/part', 'uploads/complete', 'complete'])(
    'ends the job for good, saying why, when the gateway takes its %s for wrong',
    async (refused) => {
      await untilIdle(await start(renders, { misbehave: (kind) => (kind === refused ? 400 : null) }));
      const detail = expect.stringMatching(/^refused for good: the gateway answered 400: .*problems/);
      expect(gateway.json('fail')).toEqual([{ fence: 7, code: 'finalize_failed', detail, stage: 'upload' }]);
      expect(gateway.of(refused)).toHaveLength(1);
    },
  );

  it('cuts a long reason between characters', async () => {
    const detail = `${'x'.repeat(1999)}😀`;
    await untilIdle(await start(async () => ({ ok: false, code: 'render_failed', detail })));
    expect(gateway.json('fail')).toMatchObject([{ detail: 'x'.repeat(1999) }]);
  });

  it('fetches the watermark of its job under its lease, again after an error of the gateway', async () => {
    const answers: unknown[] = [];
    const stumbles: Misbehaviour = (kind, nth) => (kind === 'assets/watermark' && nth === 0 ? 503 : null);
    await untilIdle(await start(fetches(answers), { misbehave: stumbles, watermark: VIDEO }));
    expect(answers).toEqual([new Uint8Array(VIDEO)]);
    expect(gateway.of('assets/watermark').map(({ query }) => query.get('fence'))).toEqual(['7', '7']);
  });

  it('distinguishes a deleted watermark from a forbidden one', async () => {
    const answers: unknown[] = [];
    await untilIdle(await start(fetches(answers)));
    await gateway.close();
    drain = new AbortController();
    const misbehave: Misbehaviour = (kind) => (kind === 'assets/watermark' ? 409 : null);
    await untilIdle(await start(fetches(answers), { misbehave, watermark: VIDEO }));
    expect(answers).toEqual([null, expect.objectContaining({ status: 409 })]);
  });

  it('drops its work and reports nothing once its lease is lost', async () => {
    await untilIdle(
      await start(rendersForEver, { misbehave: (kind, nth) => (kind === 'heartbeat' && nth === 3 ? 409 : null) }),
    );
    expect(gateway.kinds().filter((kind) => !kind.startsWith('claim') && kind !== 'heartbeat')).toEqual([]);
    expect(gateway.of('heartbeat')).toHaveLength(4);
    expect(await readdir(workDir)).toEqual([]);
  });

  it.each(['uploads', 'uploads/part', 'uploads/complete', 'complete'])(
    'says nothing more once its %s is answered with a lost lease',
    async (step) => {
      await untilIdle(await start(renders, { misbehave: (kind) => (kind === step ? 'stale_lease' : null) }));
      expect(gateway.of(step)).toHaveLength(1);
      expect([...gateway.of('fail'), ...gateway.of('release')]).toEqual([]);
    },
  );

  it('hands its job back when it stops', async () => {
    const { ended } = await start(rendersForEver);
    await gateway.next('heartbeat');
    drain.abort();
    await ended;
    expect(gateway.json('release')).toEqual([{ fence: 7 }]);
    expect(await readdir(workDir)).toEqual([]);
  });

  it('ends its open claim before it stops', async () => {
    await untilIdle(await start(renders));
    const [, held] = gateway.json('claim');
    expect(gateway.json('claim/end')).toEqual([{ poll_id: held.poll_id }]);
    expect(gateway.of('release')).toEqual([]);
  });

  it('hands back at once what is granted while it stops', async () => {
    const misbehave: Misbehaviour = (kind) => {
      if (kind === 'claim/end') gateway.grantHeld();
      return null;
    };
    await untilIdle(await start(renders, { misbehave }));
    expect(gateway.json('release')).toEqual([{ fence: 7 }]);
    expect(gateway.json('complete')).toHaveLength(1);
  });

  it('stops even if the gateway does not end its claim', async () => {
    const misbehave: Misbehaviour = (kind) => (kind === 'claim/end' ? 503 : null);
    await untilIdle(await start(renders, { misbehave, client: { leavePatienceMs: 20 } }));
  });

  it.each([
    ['unauthorized', { status: 401, isHostRefused: true }],
    ['agent_outdated', { status: 400, isHostRefused: true, isOutdated: true }],
  ] as const)('ends when the gateway refuses it as %s', async (problem, error) => {
    const { ended } = await start(renders, { misbehave: () => problem });
    await expect(ended).rejects.toMatchObject(error);
  });

  it('continues to claim while it is held, and logs the start and the end of that', async () => {
    const misbehave: Misbehaviour = (kind, nth) => (kind === 'claim' && nth < 3 ? { state: 'paused' } : null);
    const said: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void said.push(JSON.parse(line).msg) });
    const { ended } = await start(rendersForEver, { misbehave, log });
    await gateway.next('heartbeat');
    drain.abort();
    await ended;
    expect(said.filter((line) => /gateway gives/.test(line))).toEqual([
      'the gateway gives this host no work: paused',
      'the gateway gives this host work again',
    ]);
  });

  it('sends the end of its log of the job with a failure, in whole lines', async () => {
    const tail = createLogTail(20);
    tail.write('the job before\n');
    const fails: RenderClip = async () => {
      for (const line of ['one is gone\n', 'two stays\n', 'three too\n']) tail.write(line);
      return { ok: false, code: 'demo_404', detail: 'gone' };
    };
    await untilIdle(await start(fails, { logTail: tail }));
    expect(gateway.json('fail')).toMatchObject([{ code: 'demo_404', log: 'two stays\nthree too\n' }]);
  });

  it.each([
    [{ refusedBuild: '1.41.6.0' }, { refused_build: '1.41.6.0' }],
    [{ unfitBuild: '1.41.6.0' }, { unfit_build: '1.41.6.0' }],
    [
      { crashedLoading: { demo: 'a1'.repeat(32), hasRecorded: true } },
      { crashed_loading: { demo: 'a1'.repeat(32), has_recorded: true } },
    ],
    [{ ownMatch: true } as const, { own_match: true }],
  ])(
    'reports a build that refused the demo or that its recorder does not fit, a crash at loading, and its own match: %o',
    async (fault, reported) => {
      const failure = { code: 'cs2_unavailable', detail: 'no hook' } as const;
      await untilIdle(await start(async () => ({ ok: false, ...failure, inGame: true, ...fault })));
      expect(gateway.json('fail')).toEqual([{ fence: 7, ...failure, ...reported }]);
    },
  );

  it.each([403, 401])(
    'goes on when a firewall in front of the service answers with a page of its own (%s)',
    async (status) => {
      const { ended } = await start(renders, {
        misbehave: (kind, nth) => (kind === 'claim' && nth === 0 ? status : null),
      });
      await gateway.next('claim');
      await untilIdle({ ended });
      expect(gateway.json('complete')).toHaveLength(1);
    },
  );
});
