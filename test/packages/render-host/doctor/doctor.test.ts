import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Finding } from '#render-host/doctor/check-machine.ts';
import { examine, runDoctor } from '#render-host/doctor/doctor.ts';
import { smallDisk } from '#test/packages/render-host/frame-checks.ts';
import { serve } from '../download/serve.ts';

const TOKEN = 'tr_host_test';
let workDir: string;

beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'doctor-'));
  onTestFinished(() => rm(workDir, { recursive: true }));
});

/** Starts a gateway for the doctor: knows one token, and refuses an empty claim. */
function serveGateway(date: () => string = () => new Date().toUTCString()): Promise<string> {
  return serve((request, response) => {
    const known = request.headers.authorization === `Bearer ${TOKEN}`;
    const status = request.url !== '/gateway/v1/claim' ? 404 : known ? 400 : 401;
    response.writeHead(status, { date: date() }).end('{}');
  });
}

async function environment(overrides: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {
  const { PATH } = process.env;
  const url = overrides.TICKREEL_URL ?? (await serveGateway());
  return { PATH, TICKREEL_URL: url, TICKREEL_HOST_TOKEN: TOKEN, TICKREEL_WORK_DIR: workDir, ...overrides };
}

async function findings(overrides: NodeJS.ProcessEnv = {}): Promise<readonly Finding[]> {
  return examine(await environment(overrides), Date.now);
}

/** Returns the failed checks, each of which has a remedy. */
async function failures(overrides: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const found = (await findings(overrides)).filter(({ status }) => status === 'fail');
  for (const { remedy } of found) expect(remedy).toMatch(/\w+ \w+/);
  return found.map(({ check }) => check);
}

describe('the doctor of a render host', () => {
  it('finds nothing to remedy on a machine that works, and says what it looked at', async () => {
    const found = await findings();
    expect(found.map(({ check }) => check)).toEqual([
      ...['environment', 'work folder', 'disk space', 'machine', 'encoder', 'fonts', 'gateway', 'token', 'clock'],
    ]);
    expect(found.filter(({ status }) => status === 'fail')).toEqual([]);
  });

  it('names every variable that is wrong, and still looks at the rest', async () => {
    const found = await failures({ TICKREEL_URL: 'nowhere', TICKREEL_MAX_FPS: '500', FFMPEG_PATH: '/nowhere/ffmpeg' });
    expect(found).toEqual(['environment', 'environment', 'encoder']);
  });

  it('distinguishes a refused token from a gateway that is away, fails, or is none', async () => {
    const answering = (status: number) => serve((_request, response) => response.writeHead(status).end());
    expect(await failures({ TICKREEL_HOST_TOKEN: 'tr_host_other' })).toEqual(['token']);
    expect(await failures({ TICKREEL_URL: 'http://127.0.0.1:1' })).toEqual(['gateway']);
    expect(await failures({ TICKREEL_URL: await answering(503) })).toEqual(['gateway']);
    expect(await failures({ TICKREEL_URL: await answering(404) })).toEqual(['gateway']);
  });

  it.each([
    [0, 'ok'],
    [30, 'warn'],
    [-30, 'warn'],
    [600, 'fail'],
  ])('of a clock that is %i s off says %s', async (seconds, status) => {
    const url = await serveGateway(() => new Date(Date.now() - seconds * 1000).toUTCString());
    expect((await findings({ TICKREEL_URL: url })).find(({ check }) => check === 'clock')).toMatchObject({ status });
  });

  it('finds a work folder that cannot be made', async () => {
    await writeFile(join(workDir, 'file'), '');
    expect(await failures({ TICKREEL_WORK_DIR: join(workDir, 'file', 'folder') })).toEqual(['work folder']);
  });

  it('finds a disk that is nearly full', async (context) => {
    const disk = smallDisk(1 << 20);
    if (disk === null) return context.skip('only root on Linux may mount a small disk');
    expect(await failures({ TICKREEL_WORK_DIR: disk })).toEqual(['disk space']);
  });

  it('finds an encoder that does not encode', async () => {
    const path = join(workDir, 'ffmpeg');
    await writeFile(path, '#!/bin/sh\necho hello\n');
    await chmod(path, 0o755);
    expect(await failures({ FFMPEG_PATH: path })).toEqual(['encoder']);
  });

  it('prints a list with what to do, or JSON, and ends with 1 when something has to be mended', async () => {
    const said: string[] = [];
    const print = (text: string) => void said.push(text);
    const broken = await environment({ TICKREEL_HOST_TOKEN: 'tr_host_other' });
    expect(await runDoctor(await environment(), { json: false, print })).toBe(0);
    expect(await runDoctor(broken, { json: false, print })).toBe(1);
    expect(await runDoctor(broken, { json: true, print })).toBe(1);
    expect(said[0]).toContain('This host is ready.');
    expect(said[1]).toMatch(/FAIL {2}token .*\n +→ ask the operator/);
    expect(JSON.parse(said[2] ?? '')).toMatchObject({ ok: false, findings: expect.arrayContaining([]) });
    expect(said.join()).not.toContain('tr_host_other');
  });
});
