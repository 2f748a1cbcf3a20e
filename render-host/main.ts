import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import type { HostCapabilities } from '../protocol/gateway.ts';
import { runAgent } from './agent/agent.ts';
import { createBuildGate, openGate } from './agent/claim-gate.ts';
import { loadHostConfig } from './agent/config.ts';
import { createGatewayClient } from './agent/gateway-client.ts';
import { createCs2Capture } from './capture/cs2/cs2-capture.ts';
import { readGameBuild } from './capture/cs2/game-build.ts';
import { radarCapture } from './capture/radar/radar-capture.ts';
import { findFfmpeg } from './encode/ffmpeg.ts';
import { createRenderClip } from './pipeline/render-clip.ts';

/** A render host: `node render-host/main.ts` with the environment of `agent/config.ts`. Ends on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const loaded = loadHostConfig(process.env);
  if (!loaded.ok) {
    process.stderr.write(`${loaded.message}\n`);
    process.exitCode = 2;
    return;
  }
  const { config } = loaded;
  const { cs2 } = config;
  const log = pino({ name: 'render-host', level: config.logLevel }, pino.destination(2));
  const drain = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => drain.abort());
  // Started by a local stack, the host goes when the stack goes, however that ended.
  process.once('disconnect', () => drain.abort());

  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const capabilities: HostCapabilities = {
    renderer: cs2 === null ? 'radar' : 'cs2',
    max_resolution: config.maxResolution,
    max_fps: config.maxFps,
    game_build: null,
    agent_version: version,
  };
  const capture =
    cs2 === null ? radarCapture : createCs2Capture({ settings: cs2, ffmpeg: await findFfmpeg(process.env), log });
  const renderClip = await createRenderClip({ environment: process.env, log, capture });
  const gate =
    cs2 === null ? openGate : createBuildGate({ readBuild: async () => (await readGameBuild(cs2)).version, log });
  const gateway = createGatewayClient(config.serviceUrl, config.token);
  log.info({ capabilities, service: config.serviceUrl }, 'render host started');
  await runAgent({ gateway, renderClip, workDir: config.workDir, log, gate }, capabilities, drain.signal);
  if (process.connected) process.disconnect();
}

await main();
