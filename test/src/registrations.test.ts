import { describe, expect, it, vi } from 'vitest';
import { formatSecret } from '../../domain/secret-key.ts';
import { TestHost } from '../support/host.ts';
import { AHEAD_MS, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, sendJson } from '../support/service.ts';

useScenario(AHEAD_MS);
const HOUR = 3_600_000;

interface Registration {
  readonly registration_id: string;
  readonly token: string;
}

async function registration(body: Record<string, unknown> = {}): Promise<Registration> {
  const made = await sendJson(ADMIN_TOKEN, 'POST', '/admin/host-registrations', { name: 'rack 4', ...body });
  expect(made.status).toBe(201);
  return made.json<Registration>();
}

const register = (token: string, name = 'gpu') => sendJson(token, 'POST', '/gateway/v1/register', { name });

async function listed(id: string): Promise<Record<string, unknown> | undefined> {
  const all = await sendJson(ADMIN_TOKEN, 'GET', '/admin/host-registrations');
  const { registrations } = await all.json<{ registrations: Record<string, unknown>[] }>();
  return registrations.find(({ registration_id }) => registration_id === id);
}

async function hostsNamed(name: string): Promise<number> {
  const counted = bindings.DB.prepare('SELECT COUNT(*) AS n FROM hosts WHERE name = ?').bind(name);
  return (await counted.first<number>('n')) ?? 0;
}

describe('a registration', () => {
  it('makes hosts with tokens of their own, as often as it has uses', async () => {
    const { registration_id, token } = await registration({ uses: 2 });
    const name = crypto.randomUUID();
    const answers = [await register(token, name), await register(token, name), await register(token, name)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 401]);
    expect(await answers[2]?.json()).toMatchObject({ detail: expect.stringMatching(/used up/) });
    const hosts = await Promise.all(answers.slice(0, 2).map((one) => one.json<{ host_id: string; token: string }>()));
    expect(new Set(hosts.map(({ token: own }) => own)).size).toBe(2);
    for (const { token: own } of hosts) expect(await new TestHost(own).claim({ max_fps: 5 })).toBeNull();
    expect(await hostsNamed(name)).toBe(2);
    expect(await listed(registration_id)).toMatchObject({ name: 'rack 4', uses: 2, used: 2, revoked_at: null });
  });

  it('with 10 uses makes 10 hosts of 50 that ask at once', async () => {
    const { registration_id, token } = await registration({ uses: 10 });
    const name = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, () => register(token, name)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(40);
    expect(await hostsNamed(name)).toBe(10);
    expect(await listed(registration_id)).toMatchObject({ used: 10 });
  });

  it('ends with its time', async () => {
    const { token } = await registration({ uses: 9, expires_in_hours: 2 });
    vi.setSystemTime(Date.now() + 2 * HOUR - 1);
    expect((await register(token)).status).toBe(201);
    vi.setSystemTime(Date.now() + 1);
    expect((await register(token)).status).toBe(401);
  });

  it('ends when it is revoked, and its hosts stay', async () => {
    const { registration_id, token } = await registration({ uses: 9 });
    const { token: own } = await (await register(token)).json<{ token: string }>();
    const revoke = () => sendJson(ADMIN_TOKEN, 'DELETE', `/admin/host-registrations/${registration_id}`);
    expect([(await revoke()).status, (await revoke()).status]).toEqual([204, 204]);
    expect((await register(token)).status).toBe(401);
    expect(await new TestHost(own).claim({ max_fps: 5 })).toBeNull();
    expect(await listed(registration_id)).toMatchObject({ revoked_at: expect.any(String) });
    const unknown = `/admin/host-registrations/${crypto.randomUUID()}`;
    expect((await sendJson(ADMIN_TOKEN, 'DELETE', unknown)).status).toBe(404);
  });

  it('is needed: no other secret registers, and it opens nothing else', async () => {
    const { token } = await registration();
    const { token: own } = await (await register(token)).json<{ token: string }>();
    const invented = formatSecret('registration', crypto.getRandomValues(new Uint8Array(64))) ?? '';
    for (const other of [own, ADMIN_TOKEN, invented, 'tr_reg_']) expect((await register(other)).status).toBe(401);
    expect((await sendJson(token, 'POST', '/gateway/v1/claim', {})).status).toBe(401);
    expect((await sendJson(token, 'GET', '/api/jobs')).status).toBe(401);
    expect((await register(token, ' ')).status).toBe(400);
  });

  it.each([{ uses: 0 }, { uses: 1.5 }, { expires_in_hours: 0 }, { name: '' }, { other: 1 }])(
    'cannot be made of %j',
    async (body) => {
      const made = await sendJson(ADMIN_TOKEN, 'POST', '/admin/host-registrations', { name: 'x', ...body });
      expect(made.status).toBe(400);
    },
  );
});
