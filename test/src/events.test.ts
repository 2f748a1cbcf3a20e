import { expect, it } from 'vitest';
import { readEvents, type ServerEvent } from '../../client/events.ts';
import { isSigned } from '../../protocol/signed-message.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { createAccount, send, sendJson, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();

/** So many events of the account, from where it was. */
async function follow(count: number, lastEventId: string, key = scene.account.metered): Promise<ServerEvent[]> {
  const headers = { Authorization: `Bearer ${key}`, 'Last-Event-ID': lastEventId };
  const response = await send('/api/events', { headers });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
  const events: ServerEvent[] = [];
  if (response.body) {
    for await (const event of readEvents(response.body, 60_000)) {
      events.push(event);
      if (events.length === count) break;
    }
  }
  return events;
}

const BEGINNING = `0_${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;
const told = (events: readonly ServerEvent[]) =>
  events.map(({ data }) => JSON.parse(data) as { id: string; status: string });

it('changes of all jobs of an account come in their order, and go on from any of them', async () => {
  const first = await submit(scene.account.metered);
  const second = await submit(scene.account.reserved, { fps: 60 });
  for (const jobId of [first, second]) await fireAlarm(jobId);
  const begun = await follow(2, BEGINNING);
  expect(
    told(begun)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([first, second].sort());
  expect(told(begun)[0]).toMatchObject({ status: 'pending', mode: 'round', clip_id: null });
  await sendJson(scene.account.metered, 'POST', `/api/jobs/${first}/cancel`);
  await fireAlarm(first);
  const [next] = await follow(1, begun.at(-1)?.id ?? '');
  expect(told(next ? [next] : [])).toMatchObject([{ id: first, status: 'error', error_code: 'canceled' }]);
  // What was told once is not told again; the other job has not changed.
  const [again] = await follow(1, begun[0]?.id ?? '');
  expect(told(again ? [again] : [])).toMatchObject([{ id: told(begun)[1]?.id === first ? first : second }]);
});

it('a client that connects without an id hears of what changes from then on, and of no other account', async () => {
  await fireAlarm(await submit(scene.account.metered));
  const other = await createAccount();
  const headers = { Authorization: `Bearer ${scene.account.metered}` };
  const response = await send('/api/events', { headers });
  const events = response.body ? readEvents(response.body, 60_000) : null;
  await fireAlarm(await submit(other.metered));
  const mine = await submit(scene.account.metered);
  await fireAlarm(mine);
  expect(told([(await events?.next())?.value as ServerEvent])).toMatchObject([{ id: mine }]);
  await events?.return(undefined);
});

async function makeSecret(): Promise<{ id: string; secret: string }> {
  return (await sendJson(scene.account.metered, 'POST', '/api/webhook-secrets')).json();
}

it('webhooks of an account with secrets are signed under each of them, by the id of their delivery', async () => {
  const inbox = createInbox();
  const [first, second] = [await makeSecret(), await makeSecret()];
  const jobId = await submit(scene.account.metered, { webhook_url: inbox.url, extras: { order: 7 } });
  await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/cancel`);
  await fireAlarm(jobId);
  const [received] = await inbox.received();
  const { headers = {}, body = '' } = received ?? {};
  expect(headers['webhook-id']).toBe(headers['x-service-delivery-id']);
  const header = (name: string) => String(headers[name]);
  for (const { secret } of [first, second])
    expect(await isSigned(secret, { header, body, now: Date.now() })).toBe(true);
  expect(await isSigned(first.secret, { header, body: `${body} `, now: Date.now() })).toBe(false);
});

it('without a secret they are as the contract has them, and a deleted one signs nothing', async () => {
  const { id, secret } = await makeSecret();
  const hints = await (await sendJson(scene.account.metered, 'GET', '/api/webhook-secrets')).text();
  expect(hints).toContain(id);
  expect(hints).not.toContain(secret);
  const path = `/api/webhook-secrets/${id}`;
  expect((await sendJson((await createAccount()).metered, 'DELETE', path)).status).toBe(404);
  expect((await sendJson(scene.account.metered, 'DELETE', path)).status).toBe(204);
  const inbox = createInbox();
  const jobId = await submit(scene.account.metered, { webhook_url: inbox.url });
  await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/cancel`);
  await fireAlarm(jobId);
  const [received] = await inbox.received();
  expect(Object.keys(received?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
});

it('a receiver is tried with a webhook like any other, and what it answered is told', async () => {
  const inbox = createInbox('500');
  const { secret } = await makeSecret();
  const test = { webhook_url: inbox.url, webhook_auth_header: 'Bearer a', event: 'job.failed' };
  const response = await sendJson(scene.account.metered, 'POST', '/api/webhooks/test', test);
  const answer = await response.json<{ delivery_id: string }>();
  const failed = { delivered: false, http_status: 500, error: 'the receiver answered 500', signatures: 1 };
  expect(answer).toMatchObject(failed);
  const [received, ...more] = await inbox.received();
  expect(more).toEqual([]);
  const { headers = {}, body = '' } = received ?? {};
  expect(headers).toMatchObject({
    authorization: 'Bearer a',
    'x-service-attempt': '1',
    'x-service-delivery-id': answer.delivery_id,
  });
  expect(JSON.parse(body)).toMatchObject({ event: 'job.failed', error_code: 'no_kills_found', extras: { test: true } });
  const header = (name: string) => String(headers[name]);
  expect(await isSigned(secret, { header, body, now: Date.now() })).toBe(true);
});
