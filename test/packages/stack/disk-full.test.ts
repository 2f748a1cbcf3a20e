import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startStack } from '#stack/stack.ts';
import { createApi } from '../../conformance/support/api.ts';
import { hostAt } from '../../support/test-host.ts';
import { smallDisk } from './run-cli.ts';

const MIB = 1024 * 1024;
const REQUEST = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '76561198000000001' };

it('a disk that fills causes a warning first, then refuses new work, and never causes a 500', async (test) => {
  const disk = await smallDisk(64, onTestFinished);
  if (disk === null) return test.skip('mounting is not allowed here');
  const dataDir = join(disk, 'data');
  await mkdir(dataDir);
  const variables = { DISK_RESERVE_MIB: '8', LOG_LEVEL: 'error' };
  const stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent', variables });
  onTestFinished(stack.stop);
  const { baseUrl, credentials } = stack;
  const api = createApi(baseUrl, credentials.metered_key);
  const admin = createApi(baseUrl, credentials.admin_token);
  const host = hostAt(baseUrl, credentials.host_token);
  const fill = join(disk, 'fill');
  const leave = async (bytes: number) => {
    await rm(fill, { force: true });
    const { bavail, bsize } = await statfs(disk);
    // The service may write meanwhile: then the disk is full.
    await writeFile(fill, Buffer.alloc(Math.max(0, bavail * bsize - bytes))).catch((error) => {
      if (error.code !== 'ENOSPC') throw error;
    });
  };
  // The service looks once a second.
  const health = (status: number) => expect.poll(async () => (await fetch(`${baseUrl}/healthz`)).status).toBe(status);
  const unavailable = (body: object = {}) => ({
    status: 503,
    body: { type: expect.stringContaining('unavailable'), ...body },
  });
  const full = unavailable({ detail: 'The disk of the service is almost full.' });

  const jobId = await api.submit(REQUEST);
  await health(200);
  await leave(12 * MIB);
  await health(503);
  await api.submit({ ...REQUEST, fps: 30 });
  const grant = await host.claim({}, 20);
  expect(grant?.job_id).toBe(jobId);

  await leave(4 * MIB);
  await expect.poll(() => api.post('/api/clips', REQUEST)).toMatchObject(full);
  const refused = await api.post('/api/uploads', { name: 'a.dem', bytes: 9, sha256: '0'.repeat(64) });
  expect(refused).toMatchObject(full);
  expect(refused.headers.get('Retry-After')).toBe('60');
  // Running jobs continue, and everything can be read.
  if (grant) await host.render(grant);
  expect(await api.job(jobId)).toMatchObject({ status: 'render' });

  await leave(0);
  await expect
    .poll(async () => {
      const answer = await admin.post('/admin/accounts', { name: 'x'.repeat(100) });
      return answer.status === 201 ? leave(0).then(() => answer) : answer;
    })
    .toMatchObject(unavailable());
  // Storage would never answer. The service checks the disk within a second after it was filled.
  const gateway = createApi(baseUrl, credentials.host_token);
  const upload = { fence: grant?.lease.fence, file: 'video' };
  await expect.poll(() => gateway.post(`/gateway/v1/jobs/${jobId}/uploads`, upload)).toMatchObject(full);
  expect(await api.job(jobId)).toMatchObject({ status: 'render' });

  await rm(fill);
  await health(200);
  await api.submit(REQUEST);
  if (grant) await host.complete(grant);
  expect(await api.job(jobId)).toMatchObject({ status: 'done' });
});
