import { expect, it } from 'vitest';
import { withCors } from '#http/cors.ts';

const asked: string[] = [];
const app = withCors(async ({ method, url }) => {
  asked.push(`${method} ${new URL(url).pathname}`);
  return new Response('{}', { status: 401, headers: { 'X-Request-Id': 'r-1' } });
}, '/api/');
const send = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
  app(new Request(`https://tickreel.test${path}`, { method, headers }), { waitUntil: () => {} });
const origin = (response: Response) => response.headers.get('Access-Control-Allow-Origin');

it('a preflight is answered without authentication', async () => {
  const answer = await send('/api/clips', 'OPTIONS', {
    'Access-Control-Request-Method': 'PATCH',
    'Access-Control-Request-Headers': 'authorization, content-type, baggage, sentry-trace, traceparent',
  });
  expect([answer.status, origin(answer), asked]).toEqual([204, '*', []]);
  expect(answer.headers.get('Access-Control-Allow-Methods')).toContain('PATCH');
  expect(answer.headers.get('Access-Control-Allow-Headers')).toBe(
    'authorization, content-type, baggage, sentry-trace, traceparent',
  );
  expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
});

it('every answer of the API is for any page, a refusal too; nothing else is', async () => {
  const refused = await send('/api/clips');
  expect([refused.status, origin(refused)]).toEqual([401, '*']);
  expect(refused.headers.get('Access-Control-Expose-Headers')).toContain('Retry-After');
  for (const path of ['/', '/clips/x', '/admin/accounts', '/console/session', '/gateway/v1/claim', '/apis/x']) {
    expect(origin(await send(path))).toBeNull();
    expect(origin(await send(path, 'OPTIONS', { 'Access-Control-Request-Method': 'GET' }))).toBeNull();
  }
});
