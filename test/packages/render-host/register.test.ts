import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { tokenFileOf, withStoredToken } from '#render-host/config/settings-file.ts';
import { register } from '#render-host/register.ts';
import { serve } from './download/serve.ts';

const HOST = { host_id: crypto.randomUUID(), token: 'tr_host_fresh' };
let workDir: string;

beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'register-'));
  onTestFinished(() => rm(workDir, { recursive: true, force: true }));
});

/** Returns a service that answers a registration like this, and what it was asked. */
async function service(status: number, body: unknown) {
  const asked: { path: string | undefined; key: string | undefined; name: unknown }[] = [];
  const url = await serve((request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      asked.push({ path: request.url, key: request.headers.authorization, name: JSON.parse(text).name });
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  const environment = {
    TICKREEL_URL: `${url}/`,
    TICKREEL_REGISTRATION_TOKEN: 'tr_reg_rack4',
    TICKREEL_WORK_DIR: workDir,
  };
  return { asked, environment };
}

const refused = (status: number, detail: string) => ({
  type: '/docs/problems#some',
  title: 't',
  status,
  detail,
  request_id: crypto.randomUUID(),
});

describe('a machine that registers', () => {
  it('gets a token of its own, which only this user can read and which the host then uses', async () => {
    const { asked, environment } = await service(201, HOST);
    expect(await register(environment, 'gpu-17')).toMatchObject({
      status: 0,
      text: expect.stringMatching(HOST.host_id),
    });
    expect(asked).toEqual([{ path: '/gateway/v1/register', key: 'Bearer tr_reg_rack4', name: 'gpu-17' }]);
    const file = join(workDir, 'host-token');
    expect(tokenFileOf(environment)).toBe(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(workDir)).toEqual(['host-token', 'host-token.lock']);
    expect(withStoredToken(environment)).toMatchObject({ TICKREEL_HOST_TOKEN: HOST.token });
    const own = { ...environment, TICKREEL_HOST_TOKEN: 'tr_host_mine' };
    expect(withStoredToken(own)).toBe(own);
  });

  it('stays what it is when it does so again, and uses nothing up', async () => {
    const { asked, environment } = await service(201, HOST);
    await register(environment, 'gpu');
    expect(await register(environment, 'gpu')).toMatchObject({
      status: 0,
      text: expect.stringMatching(/is registered/),
    });
    expect(asked).toHaveLength(1);
    expect(await readFile(tokenFileOf(environment), 'utf8')).toBe(`${HOST.token}\n`);
  });

  it.each([
    ['a registration that is used up', 401, refused(401, 'It is used up.'), 2, /It is used up\./],
    ['too many guesses', 429, refused(429, 'Wait.'), 1, /429: Wait\./],
    ['a service in trouble', 503, refused(503, 'Later.'), 1, /503: Later\./],
    ["a firewall's page", 403, '<html>', 1, /403$/],
    ['what is no host', 201, { host_id: 1 }, 1, /not registered/],
  ] as const)('hears of %s, and keeps nothing', async (_, answer, body, status, text) => {
    const { environment } = await service(answer, body);
    expect(await register(environment, 'gpu')).toEqual({ status, text: expect.stringMatching(text) });
    expect(await readdir(workDir)).toEqual(['host-token.lock']);
    expect(withStoredToken(environment)).toBe(environment);
  });

  it('registers after an interrupted try', async () => {
    const { environment } = await service(201, HOST);
    await writeFile(join(workDir, 'host-token.new'), 'half of it', { mode: 0o644 });
    expect(await register(environment, 'gpu')).toMatchObject({ status: 0 });
    expect(await readFile(tokenFileOf(environment), 'utf8')).toBe(`${HOST.token}\n`);
    expect((await stat(tokenFileOf(environment))).mode & 0o777).toBe(0o600);
  });

  it('registers once if many try at once', async () => {
    const { asked, environment } = await service(201, HOST);
    const all = await Promise.all(Array.from({ length: 5 }, () => register(environment, 'gpu')));
    expect(all.map(({ status }) => status).toSorted()).toEqual([0, 1, 1, 1, 1]);
    expect(asked).toHaveLength(1);
  });

  it('sends no request if it could not store the token', async () => {
    const { asked, environment } = await service(201, HOST);
    const blocked = { ...environment, TICKREEL_HOST_TOKEN_FILE: join(workDir, 'file', 'token') };
    await writeFile(join(workDir, 'file'), '');
    expect(await register(blocked, 'gpu')).toMatchObject({ status: 1 });
    expect(asked).toEqual([]);
  });

  it('says what is wrong with its environment', async () => {
    const { status, text } = await register({ TICKREEL_WORK_DIR: workDir, TICKREEL_URL: 'here' }, 'gpu');
    expect(status).toBe(2);
    for (const variable of ['TICKREEL_URL', 'TICKREEL_REGISTRATION_TOKEN']) expect(text).toContain(variable);
  });
});
