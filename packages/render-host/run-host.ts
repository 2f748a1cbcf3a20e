import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import * as z from 'zod';
import { reasonOf } from '#domain/lib/text.ts';
import { MAX_LOG } from '#protocol/host/gateway.ts';
import type { HostCapabilities } from '#protocol/host/host-capabilities.ts';
import { runAgent } from './agent/agent.ts';
import { allGates, createBuildGate, createDiskGate } from './agent/claim-gate.ts';
import { createClockCheck, createGatewayClient } from './agent/gateway-client.ts';
import { GatewayError } from './agent/gateway-error.ts';
import { serveGrants } from './agent/grant-server.ts';
import { createCs2Capture } from './capture/cs2/cs2-capture.ts';
import { readGameBuild } from './capture/cs2/game/game-build.ts';
import { createKeptFootprints } from './capture/radar/kept-footprints.ts';
import { createRadarCapture } from './capture/radar/radar-capture.ts';
import { loadHostConfig } from './config/host-config.ts';
import { findFfmpeg } from './encode/ffmpeg.ts';
import { createLogTail } from './machine/log-tail.ts';
import { findGpu } from './machine/program.ts';
import { leaveOnSignals } from './machine/stop-signals.ts';
import {
  EVENT_LISTS_DIR,
  FOOTPRINTS_DIR,
  freeBytes,
  KEPT_DIR,
  takeWorkPlace,
  type WorkPlace,
} from './machine/work-dir.ts';
import { createKeptEventLists } from './match/game-events.ts';
import { createHostMetrics, serveMetrics } from './metrics/host-metrics.ts';
import { createInspectDemo } from './pipeline/fetch-match.ts';
import { createKeptDemos } from './pipeline/kept-demos.ts';
import { createRenderClip } from './pipeline/render-clip.ts';

const Package = z.object({ version: z.string() });

/**
 * Runs a host as the environment says (it polls for jobs, or receives them) until SIGTERM or SIGINT. Resolves with the
 * exit status: 2 if the environment is wrong or the service refuses this host, which a restart does not mend; 1 if the
 * work folder cannot be used. Rejects if the host cannot work at all: no encoder, a port that is taken.
 */
export async function runHost(environment: NodeJS.ProcessEnv): Promise<number> {
  const loaded = loadHostConfig(environment);
  if (!loaded.ok) {
    process.stderr.write(`${loaded.message}\n`);
    return 2;
  }
  const { config } = loaded;
  const { cs2 } = config;
  let place: WorkPlace;
  try {
    place = await takeWorkPlace(config.workDir);
  } catch (error) {
    process.stderr.write(`The work folder cannot be used. ${reasonOf(error)}\n`);
    return 1;
  }
  const workDir = place.path;
  const tail = createLogTail(MAX_LOG);
  const outputs = [pino.destination(2), tail].map((stream) => ({ stream, level: 'trace' as const }));
  const log = pino({ name: 'render-host', level: config.logLevel }, pino.multistream(outputs));
  for (const warning of loaded.warnings) log.warn({}, warning);
  const leave = leaveOnSignals(config.drainMs);
  const draining = { drainSeconds: config.drainMs / 1000 };
  leave.drain.addEventListener('abort', () => log.info(draining, 'draining: no more work is asked for'));

  const { version } = Package.parse(JSON.parse(await readFile(new URL('./package.json', import.meta.url), 'utf8')));
  const now = () => performance.now();
  const metrics = createHostMetrics(now);
  const { observer } = metrics;
  const [ffmpeg, card] = await Promise.all([findFfmpeg(environment, { isMaintained: cs2 !== null }), findGpu()]);
  const capabilities: HostCapabilities = {
    renderer: cs2 === null ? 'radar' : 'cs2',
    max_resolution: config.maxResolution,
    max_fps: config.maxFps,
    game_build: null,
    agent_version: version,
    ...card,
    encoder: ffmpeg.encoder.name,
    skills: ['inspect', 'tracks', 'uploads', 'names'],
  };
  const folder = join(workDir, 'cs2');
  const game =
    cs2 === null ? null : createCs2Capture({ settings: cs2, ffmpeg, folder, log, limits: config.limits.parse });
  const footprints = createKeptFootprints(join(workDir, FOOTPRINTS_DIR));
  const capture = game?.capture ?? createRadarCapture({ ...config.radar, footprints });
  const kept = createKeptDemos(join(workDir, KEPT_DIR), config.keptBytes, now);
  const eventLists = createKeptEventLists(join(workDir, EVENT_LISTS_DIR));
  const { limits } = config;
  const renderClip = await createRenderClip({ environment, ffmpeg, log, capture, limits, observer, kept, eventLists });
  const inspectDemo = createInspectDemo({
    limits,
    observer,
    kept,
    eventLists,
    outlineDir: config.replayOutlineDir,
    log,
  });
  const readFree = () => freeBytes(workDir);
  const disk = createDiskGate({ readFree, minBytes: config.minFreeBytes, freeSpace: kept.clear, log });
  const build = cs2 && createBuildGate({ readBuild: async () => (await readGameBuild(cs2)).version, now, log });
  const gateway = createGatewayClient(config.serviceUrl, config.token, {
    keptDemos: kept.keys,
    clock: createClockCheck(log, () => Date.now()),
  });
  const grants =
    config.serve && (await serveGrants({ ...config.serve, drain: leave.drain, log, now: () => Date.now() }));
  const server = config.metrics && (await serveMetrics(metrics, config.metrics.port, config.metrics.address));
  log.info(
    {
      capabilities,
      service: config.serviceUrl,
      servePort: grants?.port ?? null,
      metricsPort: server?.port ?? null,
      workDir,
    },
    'render host started',
  );
  try {
    const work = {
      gateway,
      renderClip,
      inspectDemo,
      workDir,
      log,
      gate: allGates(...(grants ? [grants.gate] : []), disk, ...(build ? [build] : [])),
      observer,
      logTail: tail,
      ...(grants ? { claim: grants.claim } : {}),
    };
    await runAgent(work, capabilities, leave.drain, leave.stop);
  } catch (error) {
    if (!(error instanceof GatewayError && error.isHostRefused)) throw error;
    const why = error.isOutdated
      ? `wants a newer render host. ${error.detail ?? ''} Update this one and start it again.`
      : "refuses this host's token: it was revoked, or replaced by another. Ask its operator for a new one.";
    process.stderr.write(`${config.serviceUrl} ${why}\n`);
    return 2;
  } finally {
    leave.end();
    grants?.close();
    server?.close();
    await game?.close();
    await kept.clear();
    place.release();
    if (process.connected) process.disconnect();
  }
  log.info('render host ended');
  return 0;
}
