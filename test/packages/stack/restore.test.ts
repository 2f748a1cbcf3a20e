import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { PROJECT_ROOT } from '#stack/migrate.ts';
import { freePort } from '#stack/service.ts';
import { createApi } from '../../conformance/support/api.ts';
import { createStackProcess, startHost } from '../../soak/processes.ts';
import { createJobs, judgeStores } from '../../soak/verdict.ts';
import { startReceiver } from '../../support/receiver.ts';
import { serveShortDemo } from '../../support/short-demo.ts';

const run = async (program: string, ...args: readonly string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, [`packages/stack/${program}`, ...args], {
    cwd: PROJECT_ROOT,
  });
  return stdout;
};

it('after a kill and a restore every job of before the backup makes one clip, and a command lists what is lost', {
  timeout: 900_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'restore-drill-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  const demo = await serveShortDemo(folder);
  onTestFinished(demo.stop);
  const receiver = await startReceiver();
  onTestFinished(receiver.stop);
  const port = await freePort(0);
  const baseUrl = `http://127.0.0.1:${port}`;
  const stack = createStackProcess({ dataDir, port, leaseSeconds: 30 });
  onTestFinished(() => stack.end('SIGTERM'));
  const credentials = await stack.start();
  const jobs = createJobs(() => ({ baseUrl, key: credentials.metered_key }), demo.request, receiver);
  const hosts = [1, 2].map(() =>
    startHost({
      TICKREEL_URL: baseUrl,
      TICKREEL_HOST_TOKEN: credentials.host_token,
      TICKREEL_DRAIN_S: '0',
      TICKREEL_WORK_DIR: join(folder, 'work'),
    }),
  );
  onTestFinished(async () => void (await Promise.all(hosts.map((host) => host.end('SIGKILL')))));
  const submitted = async (...keys: readonly string[]) => {
    const before = new Set(jobs.acknowledged);
    for (const key of keys) await jobs.submit(key);
    return [...jobs.acknowledged].filter((id) => !before.has(id));
  };
  const client = createTickreel({ baseUrl, apiKey: credentials.metered_key });
  const admin = createApi(baseUrl, credentials.admin_token);

  const done = async (id: string) => {
    const job = await client.jobs.wait(id);
    expect(job, id).toMatchObject({ status: 'done' });
    return job;
  };

  const early = await submitted('early-1', 'early-2', 'early-3', 'early-4');
  // One is done, and others are in flight.
  const first = String((await receiver.arrival(0)).body.job_id);
  const during: string[] = [];
  const going = (async () => {
    for (let n = 0; n < 4; n++) during.push(...(await submitted(`during-${n}`)));
  })();
  const backups = join(folder, 'backups');
  const made = await run('backup-cli.ts', '--data', dataDir, '--to', backups, '--leave', '1');
  await going;
  const arrived = receiver.arrivals.length;
  const [name = ''] = (await readdir(backups)).filter((one) => one.startsWith('2'));
  expect(made).toContain(`${join(backups, name)}: `);
  const late = await submitted('late-1', 'late-2');
  const { clip_id } = await done(first);
  await client.clips.delete(clip_id ?? '');
  const { body: host } = await admin.post('/admin/hosts', { name: 'late' });
  // One more is done, which the backup does not know.
  await receiver.arrival(arrived);
  await stack.end('SIGKILL');

  const listed = (await run('restore-cli.ts', join(backups, name), '--data', dataDir, '--replace'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const lostJobs = listed.filter(({ kind, change }) => kind === 'jobs' && change === 'lost').map(({ id }) => id);
  await stack.start();
  const api = createApi(baseUrl, credentials.metered_key);
  const isThere = async (id: string) => (await api.get(`/api/jobs/${id}`)).status;
  for (const id of [...early, ...during, ...late])
    expect(await isThere(id), id).toBe(lostJobs.includes(id) ? 404 : 200);
  expect(lostJobs).toEqual(expect.arrayContaining(late));
  expect(lostJobs.filter((id) => early.includes(id))).toEqual([]);
  const accountId = credentials.account_id;
  expect(listed).toEqual(
    expect.arrayContaining([
      { kind: 'jobs', id: first, change: 'older', facts: expect.objectContaining({ clip: 'deleted' }) },
      { kind: 'hosts', id: host.host_id, change: 'lost', facts: expect.objectContaining({ name: 'late' }) },
      expect.objectContaining({ kind: 'audit', change: 'lost' }),
      expect.objectContaining({
        kind: 'jobs',
        id: late[0],
        change: 'lost',
        facts: expect.objectContaining({ account_id: accountId, idempotency_key: 'late-1' }),
      }),
    ]),
  );
  // The files by their keys, and a new folder without a list.
  const copy = ['--data', join(folder, 'copy'), '--files', join(folder, 'files')];
  expect(await run('restore-cli.ts', join(backups, name), ...copy)).toBe('');
  const keys = await readdir(join(folder, 'files/tickreel-clips'), { recursive: true });
  expect(keys.filter((key) => key.startsWith(`clips/${clip_id}/`) && key.endsWith('/video.mp4'))).toHaveLength(1);
  // Without --data it only lists, again.
  const [moved = ''] = (await readdir(folder)).filter((one) => one.startsWith('data.before-'));
  const again = await run('restore-cli.ts', join(backups, name), '--compare', join(folder, moved));
  expect(
    again
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(listed);

  // A host that works on a lost job drops it.
  const beat = { fence: 9, phase: 'render', progress: 0 };
  const gateway = createApi(baseUrl, credentials.host_token);
  expect(await gateway.post(`/gateway/v1/jobs/${late[0]}/heartbeat`, beat)).toMatchObject({ status: 409 });
  // With the same key a job gets its id, and so its clip gets its address.
  expect((await submitted('late-1', 'late-2')).length).toBe(0);
  const kept = [...early, ...during, ...late].filter((id) => late.includes(id) || !lostJobs.includes(id));
  for (const id of kept) await done(id);
  for (const one of hosts) await one.end('SIGTERM');
  await stack.end('SIGTERM');
  const faults = Object.entries(await judgeStores(dataDir, kept)).filter(([, whom]) => whom.length > 0);
  expect(faults).toEqual([]);
});
