import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeDemoFile } from '#demo-writer/index.ts';
import { startHost } from '../../soak/host-process.ts';
import { hostAt } from '../../support/test-host.ts';
import { startTestStack } from '../../support/test-stack.ts';
import { setUpGame } from '../render-host/capture/cs2/game-setup.ts';
import { KNIFE_KILL } from '../render-host/doctor/knife-kill.ts';

const PATIENCE_MS = 300_000;

it('a build that fails with a host’s golden demos is set aside on all hosts, and comes back when they pass', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const stack = await startTestStack();
  onTestFinished(stack.remove);
  const { settings, workDir } = await setUpGame();
  const golden = join(workDir, 'golden');
  await mkdir(golden);
  await writeDemoFile(KNIFE_KILL, join(golden, 'kill.dem'));
  const launcher = join(workDir, 'HLAE.exe');
  const command = settings.launcher.map((word) => `"${word.replaceAll(/["$`\\]/g, '\\$&')}"`).join(' ');
  await writeFile(launcher, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });

  const admin = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${stack.credentials.admin_token}`, 'Content-Type': 'application/json' };
    const response = await fetch(stack.baseUrl + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  /** Registers a host. */
  const register = async (name: string) => {
    const { host_id, token } = await admin('POST', '/admin/hosts', { name });
    const whyIdle = async () => (await admin('PATCH', `/admin/hosts/${host_id}`, {})).set_aside_reason;
    return { token: String(token), whyIdle };
  };
  const [own, other] = [await register('with golden demos'), await register('without')];
  /** Returns whether the other host, with the same build, is set aside. */
  const isSetAside = async () => {
    const answer = await hostAt(stack.baseUrl, other.token).ask({ renderer: 'cs2', game_build: '1.41.6.0' });
    return answer.headers.get('X-Host-State') === 'set aside';
  };
  /** Starts a host with a game that has such faults. It asks for work once it has recorded the golden demos. */
  const run = async (modes: string) => {
    const host = startHost({
      TICKREEL_URL: stack.baseUrl,
      TICKREEL_HOST_TOKEN: own.token,
      TICKREEL_WORK_DIR: join(workDir, 'host'),
      TICKREEL_RENDERER: 'cs2',
      TICKREEL_CS2_DIR: settings.gameDir,
      TICKREEL_CS2_LAUNCHER: launcher,
      TICKREEL_CS2_HOOK: settings.hookPath,
      TICKREEL_CS2_CONSOLE_PORT: `${settings.consolePort}`,
      TICKREEL_CS2_GAME_STATE_PORT: `${settings.gameStatePort}`,
      TICKREEL_CS2_ARGS: `+fake clock=1,${modes}`,
      TICKREEL_CS2_GOLDEN: golden,
    });
    onTestFinished(() => host.end('SIGTERM'));
    expect(await host.reach('waiting', PATIENCE_MS)).toBe(true);
    return host;
  };

  const failing = await run('wrong-player');
  await expect.poll(own.whyIdle).toMatch(/^1\.41\.6\.0: a golden demo failed: kill\.dem: render_failed/);
  await expect.poll(isSetAside).toBe(true);
  await failing.end('SIGTERM');
  await run('');
  await expect.poll(isSetAside).toBe(false);
  expect(await other.whyIdle()).toBeNull();
});
