import { afterEach, expect, it, vi } from 'vitest';
import { TestHost } from '../support/host.ts';
import { bindings, createAccount, createHost, roundRequest, sendJson } from '../support/service.ts';

const settings = bindings as unknown as { LOG_LEVEL: string };
const { LOG_LEVEL } = settings;

afterEach(() => {
  settings.LOG_LEVEL = LOG_LEVEL;
  vi.restoreAllMocks();
});

it('a request leaves its line in the log, from the Worker through the object, under the id that it was answered with', async () => {
  const { metered, id: account } = await createAccount();
  const host = new TestHost(await createHost());
  settings.LOG_LEVEL = 'info';
  const written = vi.spyOn(console, 'info').mockReturnValue();
  const response = await sendJson(metered, 'POST', '/api/clips', roundRequest());
  const { job_id: job } = await response.json<{ job_id: string }>();
  const grant = await host.claimJob(job);
  const failed = await host.report(grant, 'fail', {
    code: 'demo_404',
    detail: 'https://demos.example.com/a?sig=secret',
  });

  const lines = written.mock.calls.map(([line]) => JSON.parse(String(line))).filter((line) => line.job === job);
  const changes = lines.filter(({ message }) => message === 'job changed');
  expect(changes.map(({ from, to }) => [from, to])).toEqual([
    [null, 'pending'],
    ['pending', 'prefetch'],
    ['prefetch', 'error'],
  ]);
  expect(changes[0]).toMatchObject({
    level: 'info',
    account,
    run: 1,
    requestId: response.headers.get('X-Request-Id'),
  });
  expect(changes[2]).toMatchObject({ fence: 1, errorCode: 'demo_404', requestId: failed.headers.get('X-Request-Id') });
  expect(JSON.stringify(lines)).not.toContain('secret');
});
