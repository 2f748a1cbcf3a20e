import { assetKey, demoFileKey } from '#domain/job/storage-keys.ts';
import { IMAGE_TYPES } from '#domain/lib/image-header.ts';
import { SOUND_TYPES } from '#domain/lib/sound-header.ts';
import { invalidRequest, notFound } from '#http/problem.ts';
import {
  AccountChanges,
  AccountErasure,
  AccountList,
  AccountView,
  Canceled,
  CancelQuery,
  NewAccount,
} from '#protocol/account/accounts.ts';
import { RULE } from '#protocol/examples/client.ts';
import { ACCOUNT } from '#protocol/examples/operator.ts';
import * as field from '#protocol/lib/fields.ts';
import { AdminListQuery, pageOf } from '#protocol/lib/lists.ts';
import { RuleList } from '#protocol/rule/rules.ts';
import { accountView } from '#service/account/account-view.ts';
import { newAccount } from '#service/account/issue-key.ts';
import { askAll } from '#service/lib/each-of.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import { ruleViews } from '#service/rule/rule-view.ts';
import {
  findAccount,
  findTestAccount,
  insertAccount,
  selectAccounts,
  updateAccount,
  updateViewing,
} from '#storage/account/accounts.ts';
import { selectUnfinished } from '#storage/lib/lists.ts';
import { beginErasing } from '#storage/operate/erasure.ts';
import { scheduleRepublishing } from '#storage/operate/upkeep.ts';

export const listAccounts = operation({
  route: 'GET /admin/accounts',
  scope: 'operator:read',
  query: AdminListQuery,
  answers: { 200: AccountList },
  handler: async ({ database, settings }, { query, reply }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectAccounts(database, cursor, limit), limit);
    return reply(200, { accounts: rows.map((row) => accountView(row, settings.limits)), next_cursor });
  },
});

export const createAccount = operation({
  route: 'POST /admin/accounts',
  scope: 'operator:admin',
  body: NewAccount,
  answers: { 201: AccountView },
  handler: async ({ database, now, settings }, { body, reply }) => {
    const { name, provisioned_slots: slots, renderer, labels } = await body();
    const { idSalt, ...identity } = newAccount(now());
    const account = { ...identity, name, renderer, labels };
    await insertAccount(database, { ...account, idSalt, provisionedSlots: slots });
    const made = {
      ...account,
      slots,
      suspendedAt: null,
      erasingAt: null,
      isHidden: false,
      brand: null,
      limits: {},
      drawnShare: null,
    };
    return reply(201, accountView(made, settings.limits));
  },
});

export const getAccount = operation({
  route: 'GET /admin/accounts/:id',
  scope: 'operator:read',
  answers: { 200: AccountView },
  handler: async ({ database, settings }, { params, reply }) => {
    const account = await findAccount(database, params.id);
    if (!account) throw notFound();
    return reply(200, accountView(account, settings.limits));
  },
});

/** Takes effect within 30 seconds. If the dispatcher cannot be reached, a suspension fails and may be repeated. */
export const changeAccount = operation({
  route: 'PATCH /admin/accounts/:id',
  scope: 'operator:admin',
  body: AccountChanges,
  answers: { 200: AccountView },
  handler: async ({ database, dispatcher, now, settings }, { params, body, reply }) => {
    const { name, provisioned_slots, renderer, labels, suspended, hide_clips, limits, brand } = await body();
    const account = await updateAccount(database, params.id, {
      name,
      provisionedSlots: provisioned_slots,
      renderer,
      labels,
      suspendedAt: suspended === undefined ? undefined : suspended ? now() : null,
      limits,
    });
    if (!account) throw notFound();
    if (suspended !== undefined) await dispatcher().suspend(params.id, suspended);
    const isHidden = suspended === false ? false : (hide_clips ?? account.isHidden);
    const { name: shown = null, url = null, logo = null, colour = null } = brand ?? {};
    const changes = {
      ...(isHidden === account.isHidden ? {} : { isHidden }),
      ...(brand && { brand: shown === null ? null : { name: shown, url, logo, colour } }),
    };
    if (Object.keys(changes).length > 0) {
      // The account itself comes last.
      for (const id of [(await findTestAccount(database, params.id)) ?? params.id, params.id]) {
        // First, so that a call that is repeated after an error finds the change undone.
        await scheduleRepublishing(database, id, now());
        await updateViewing(database, id, changes);
      }
    }
    return reply(200, accountView({ ...account, isHidden, ...changes }, settings.limits));
  },
});

/** Jobs that one request cancels, each by a call of its object. */
const BATCH = 500;

/** Cancels a page of jobs at a time. */
export const cancelAccount = operation({
  route: 'POST /admin/accounts/:id/cancel',
  scope: 'operator:operate',
  query: CancelQuery,
  answers: { 200: Canceled },
  handler: async ({ database, job }, { params, requestId, query, reply }) => {
    const { cursor } = query();
    const account = await findAccount(database, params.id);
    if (!account) throw notFound();
    const found = await selectUnfinished(database, account.id, cursor, BATCH);
    // The index may lag behind the jobs. Canceling a job that has finished changes nothing.
    const answers = await askAll(found, async ({ id }) => (await job(id).cancel(null, requestId)).ok);
    return reply(200, {
      canceled: answers.filter((one) => one === true).length,
      failed: found.flatMap(({ id }, i) => (answers[i] === null ? [id] : [])),
      next_cursor: found.length < BATCH ? null : (found.at(-1)?.id ?? null),
    });
  },
});

const KEPT = 'Seconds rendered by day, under the id of the account and without its name, for invoices.';

const ErasingAccount = AccountView.extend({
  keeps: field.text('The data that the service keeps after the erasure.'),
}).meta({ id: 'ErasingAccount', description: 'An account that is being erased.' });

/** Begins the erasure. The cron continues it (`sweepErasures`). */
export const eraseAccount = operation({
  route: 'POST /admin/accounts/:id/erase',
  scope: 'operator:admin',
  body: AccountErasure,
  answers: { 202: ErasingAccount },
  handler: async ({ database, dispatcher, now, settings }, { params, body, reply }) => {
    const { name } = await body();
    const account = await findAccount(database, params.id);
    if (!account) throw notFound();
    if (name !== account.name) throw invalidRequest([{ path: 'name', message: "must be the account's name" }]);
    const at = now();
    await beginErasing(database, account.id, at);
    // Keeps hosts from jobs that will be deleted.
    await dispatcher().suspend(account.id, true);
    const { suspendedAt, erasingAt } = account;
    const erasing = { ...account, suspendedAt: suspendedAt ?? at, erasingAt: erasingAt ?? at };
    return reply(202, { ...accountView(erasing, settings.limits), keeps: KEPT });
  },
});

export const getAccountFile = operation({
  route: 'GET /admin/accounts/:id/files/:file',
  scope: 'operator:admin',
  handler: async ({ images, demos }, { params: { id, file } }) => {
    const found = (await images.get(assetKey(id, file))) ?? (await demos.get(demoFileKey(id, file)));
    if (!found) throw notFound();
    const type = found.httpMetadata?.contentType ?? 'application/octet-stream';
    return new Response(found.body, {
      headers: {
        'Content-Type': type,
        'Content-Length': String(found.size),
        'Cache-Control': 'no-store',
        'Content-Disposition': 'attachment',
      },
    });
  },
});

export const listAccountRules = operation({
  route: 'GET /admin/accounts/:id/rules',
  scope: 'operator:read',
  answers: { 200: RuleList },
  handler: async (service, { params, reply }) => {
    if (!(await findAccount(service.database, params.id))) throw notFound();
    return reply(200, { rules: await ruleViews(service, params.id, 1) });
  },
});

export const words = (): Words => ({
  listAccounts: {
    summary: 'List accounts',
    command: 'accounts list',
    description: 'Returns accounts, oldest first.',
    answers: { 200: answer('A page of accounts.', { accounts: [ACCOUNT], next_cursor: null }) },
  },
  createAccount: {
    summary: 'Create an account',
    command: 'accounts create <name>',
    description: 'Creates an account without a key.',
    body: { examples: only({ name: 'Example', provisioned_slots: 4 }) },
    answers: { 201: answer('The account is made.', ACCOUNT) },
  },
  getAccount: {
    summary: 'Read an account',
    command: 'accounts show <account>',
    description: 'Returns the account as `GET /admin/accounts` does.',
    answers: { 200: answer('The account with its limits.', ACCOUNT) },
  },
  changeAccount: {
    summary: 'Change an account',
    command: 'accounts update <account>',
    description:
      "Slots, renderer and labels apply to the account's next jobs. A suspended account may read and change nothing: its queued jobs wait until it is resumed, and its running jobs finish. With `hide_clips` its clips answer 410 until then, new ones at once and the others by the cron: thousands in five minutes, from a minute later. A change of `brand` reaches pages in the same way.",
    body: { examples: only({ provisioned_slots: 8 }) },
    answers: { 200: answer('The account as it is now.', { ...ACCOUNT, provisioned_slots: 8 }) },
  },
  cancelAccount: {
    summary: 'Cancel all jobs of an account',
    description:
      'Cancels every unfinished job of the account, up to 500 with one call. Repeat with `next_cursor` until it is null. `failed` lists jobs that did not answer.',
    answers: { 200: answer('The jobs are canceled.', { canceled: 37, failed: [], next_cursor: null }) },
  },
  eraseAccount: {
    summary: 'Erase an account',
    command: 'accounts erase <account>',
    description:
      'Erases the account and all that it owns: jobs, clips and their files, demos, assets, keys, secrets. It is suspended and loses its keys at once. The cron then deletes the rest, in turns with other accounts, and the account itself last, after an hour at the earliest. It cannot be undone. What stays: its lines of `GET /admin/usage`, under its id and without its name; the entries of the audit log, without what was sent; and viewers see that its clips were deleted.',
    body: { examples: only({ name: 'Example' }) },
    answers: {
      202: answer('The erasure has begun. The same call again continues it.', {
        ...ACCOUNT,
        suspended_at: '2026-05-04T18:32:00.000Z',
        erasing_at: '2026-05-04T18:32:00.000Z',
        keeps: KEPT,
      }),
    },
  },
  getAccountFile: {
    summary: 'Download an asset or a demo of an account',
    description: 'A file that the account has uploaded, by the id of its asset or upload.',
    answers: {
      200: {
        description: 'The bytes of the file.',
        content: { types: ['application/octet-stream', ...IMAGE_TYPES, ...SOUND_TYPES] },
      },
    },
  },
  listAccountRules: {
    summary: "List an account's rules",
    command: 'rules list <account>',
    description: 'Returns rules with their latest runs, without the secrets of their receivers.',
    answers: { 200: answer('Returns all rules, oldest first.', { rules: [RULE] }) },
  },
});
