import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { renderOrderView } from '#protocol/render-order-view.ts';
import { createRadarCapture } from '#render-host/capture/radar/radar-capture.ts';
import { createRenderClip } from '#render-host/pipeline/render-clip.ts';
import { NO_CARDS } from '#test/support/plain-order.ts';
import { createFakeGateway } from '../agent/fake-gateway.ts';
import { serve } from '../download/serve.ts';
import { runOneJob } from '../run-one-job.ts';
import { demoOf, killsOf } from './case.ts';

/** All control characters except the one that ends a string in a demo. */
const CONTROLS = '\u0007\u001b\u202e\u2066\u200b\n\u2028';

it('names are shown without what is invisible in them, and cut between characters', async () => {
  const players = Array.from({ length: 10 }, (_, at) => ({
    steamId: `${76561198000000100n + BigInt(at)}`,
    name: at === 0 ? `\u202eAn\tna${'😀'.repeat(60)}` : CONTROLS,
    userId: at,
  }));
  const demo = demoOf({
    map: `${CONTROLS}de_${'x'.repeat(400)}`,
    players,
    rounds: [{ startTick: 10, endTick: 600 }],
    kills: [{ tick: 400, attacker: 0, victim: 5 }],
  });
  const folder = await mkdtemp(join(tmpdir(), 'names-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const demoUrl = await serve((_request, response) => response.end(demo));
  const gateway = await createFakeGateway(undefined, null, {
    order: renderOrderView({
      demoUrl: `${demoUrl}/match.dem`,
      selection: { ...killsOf(players[0]?.steamId ?? ''), ...{ preKillPadding: 0.5, postKillPadding: 0.5 } },
      fps: 5,
      resolution: 1080,
      xray: false,
      onlyDeathnotices: false,
      ownKillfeed: true,
      damageTicker: true,
      thumbnailStyle: 'full',
      watermarkImageId: null,
      ...NO_CARDS,
    }),
    part_bytes: 5 << 20,
  });
  onTestFinished(() => gateway.close());
  const log = { info: () => {}, warn: () => {} };
  const capture = createRadarCapture({ sound: true });
  const renderClip = await createRenderClip({ environment: process.env, log, capture });
  await runOneJob(gateway, renderClip, folder);
  expect(gateway.json('fail')).toEqual([]);
  expect(gateway.json('complete')[0].title).toBe(`1 kill by An na${'😀'.repeat(43)} on X${'x'.repeat(60)}`);
});
