import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createService } from '#service/service.ts';
import { ruleRuns } from '#storage/rules-schema.ts';
import { createAccount } from '../support/accounts.ts';
import { arrive } from '../support/rules.ts';
import { ADMIN_TOKEN, bindings, sendJson } from '../support/service.ts';

const { database } = createService(bindings);
const DAY_MS = 24 * 60 * 60_000;

it('shows the operator the rules of an account with what they have used today, and no secret', async () => {
  const [mine, other] = [await createAccount(), await createAccount()];
  const rule = {
    ...{ name: 'League', render: { what: 'highlights' }, budget: { demos_a_day: 5, clips_a_day: 50 } },
    send: {
      ...{ webhook_url: 'https://example.com/hook', webhook_auth_header: 'Bearer the-secret' },
      discord_url: 'https://discord.com/api/webhooks/1/the-secret',
    },
  };
  for (const { metered } of [mine, other])
    expect((await sendJson(metered, 'POST', '/api/rules', rule)).status).toBe(201);
  const [today, earlier] = [await arrive(database, mine.id), await arrive(database, mine.id)];
  await database.update(ruleRuns).set({ clips: 3, isRead: true }).where(eq(ruleRuns.uploadId, today));
  const yesterday = { clips: 7, createdAt: Date.now() - DAY_MS };
  await database.update(ruleRuns).set(yesterday).where(eq(ruleRuns.uploadId, earlier));
  const read = (id: string, token = ADMIN_TOKEN) => sendJson(token, 'GET', `/admin/accounts/${id}/rules`);
  const text = await (await read(mine.id)).text();
  expect(text).not.toContain('the-secret');
  expect(JSON.parse(text)).toEqual({
    rules: [
      expect.objectContaining({
        ...{ name: 'League', budget: { demos_a_day: 5, clips_a_day: 50 }, used: { demos_a_day: 1, clips_a_day: 3 } },
        send: { webhook_url: 'https://example.com/hook', discord_url: 'https://discord.com/api/webhooks/1/…' },
        last_run: expect.objectContaining({ upload_id: today }),
      }),
    ],
  });
  expect((await read(crypto.randomUUID())).status).toBe(404);
  expect((await read(mine.id, mine.metered)).status).toBe(401);
});
