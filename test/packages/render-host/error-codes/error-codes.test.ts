import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RenderOrder } from '#domain/clip/render-order.ts';
import type { ErrorCode } from '#domain/failure/codes.ts';
import { renderOrderView } from '#protocol/clip/render-order-view.ts';
import { runAgent } from '#render-host/agent/agent.ts';
import { createGatewayClient } from '#render-host/agent/gateway-client.ts';
import { findFfmpeg } from '#render-host/encode/ffmpeg.ts';
import { createKeptDemos, type KeptDemos } from '#render-host/pipeline/kept-demos.ts';
import { createRenderClip, type RenderClip } from '#render-host/pipeline/render-clip.ts';
import { smallDisk } from '#test/packages/render-host/frame-checks.ts';
import { NO_CARDS } from '#test/support/plain-order.ts';
import { CAPABILITIES } from '#test/support/test-host.ts';
import { createFakeGateway } from '../agent/fake-gateway.ts';
import { serve } from '../download/serve.ts';
import { CASES, type Case, DEMO, GREY, killsOf, PLAYER } from './cases.ts';

const ORDER: Omit<RenderOrder, 'demoUrl'> = {
  selection: killsOf(PLAYER),
  fps: 5,
  resolution: 1080,
  xray: false,
  onlyDeathnotices: true,
  ownKillfeed: false,
  damageTicker: false,
  thumbnailStyle: 'none',
  watermarkImageId: null,
  ...NO_CARDS,
};

let ffmpeg: string;
let kept: KeptDemos;
beforeAll(async () => {
  ffmpeg = (await findFfmpeg(process.env)).path;
  const folder = await mkdtemp(join(tmpdir(), 'kept-'));
  kept = createKeptDemos(folder, 1e9, () => 0);
  return () => rm(folder, { recursive: true });
});

type FakeGateway = Awaited<ReturnType<typeof createFakeGateway>>;

/** Runs a host until it has reported on its first job and asks for the next. */
async function runOneJob(gateway: FakeGateway, renderClip: RenderClip, workDir: string): Promise<void> {
  const drain = new AbortController();
  const client = createGatewayClient(gateway.url, 'tr_host_test');
  const agent = { gateway: client, renderClip, workDir, log: pino({ level: 'silent' }) };
  const ended = runAgent(agent, CAPABILITIES, drain.signal);
  await gateway.next('claim');
  await gateway.next('claim');
  drain.abort();
  await ended;
}

/** Such a case is about what follows the parse, so all of them share one parsed demo. */
const isLate = ({ demo, disk, wrap, limits }: Case) => !demo && !disk && !wrap && !limits?.download;

/** The real encoder until it gets frames. */
async function buildEncoder(script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'encoder-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'ffmpeg');
  const frames = `for out; do :; done\n${script}`;
  const content = `#!/bin/sh\nFFMPEG="${ffmpeg}"\ncase "$*" in *pipe:0*) ;; *) exec "$FFMPEG" "$@";; esac\n${frames}\n`;
  await writeFile(path, content);
  await chmod(path, 0o755);
  return path;
}

async function buildRender(given: Case): Promise<RenderClip> {
  const { encoder, capture = GREY, limits, wrap = (render) => render } = given;
  const render = await createRenderClip({
    environment: encoder === undefined ? process.env : { FFMPEG_PATH: await buildEncoder(encoder) },
    log: { info: () => {}, warn: () => {} },
    capture,
    kept: isLate(given) ? kept : null,
    ...(limits && { limits }),
  });
  return wrap(render);
}

async function buildGateway(given: Case) {
  const { demo = DEMO } = given;
  const handler = typeof demo === 'function' ? demo : undefined;
  const demoUrl = await serve(handler ?? ((_request, response) => response.end(demo)));
  const gateway = await createFakeGateway(given.gateway, null, {
    order: renderOrderView({ demoUrl: `${demoUrl}/match.dem`, ...ORDER, ...given.order }),
    lease: { fence: 7, ttl_s: 60, heartbeat_s: 0.2 },
    part_bytes: 5 << 20,
    ...(isLate(given) && { demo_key: 'a'.repeat(32) }),
    ...given.grant,
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

async function buildWorkDir({ disk }: Case): Promise<string | null> {
  if (disk !== undefined) return smallDisk(disk);
  const folder = await mkdtemp(join(tmpdir(), 'codes-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/**
 * The table of docs/contract.md 7.2: each code from the claim to the report. The stages' tests
 * (test/packages/render-host/*) have the rules that they decide, test/core/domain/job-machine.test.ts what follows.
 */
const table = Object.entries(CASES) as [ErrorCode, readonly Case[]][];

describe.each(table)('%s', (code, cases) => {
  test.for(cases)('$what', async (given, context) => {
    const workDir = await buildWorkDir(given);
    if (workDir === null) return context.skip('only root on Linux may mount the small disk that this fills');
    const renderClip = await buildRender(given);
    const gateway = await buildGateway(given);
    await runOneJob(gateway, renderClip, workDir);
    expect(gateway.of('fail')).toHaveLength(given.reports ?? 1);
    expect(gateway.json('fail').at(-1)).toMatchObject({ fence: 7, code, detail: expect.stringMatching(/./) });
    expect(await readdir(workDir)).toEqual([]);
  });
});
