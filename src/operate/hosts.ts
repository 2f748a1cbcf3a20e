import { DAY_MS } from '#domain/job/metering.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { newSecret } from '#http/credentials.ts';
import { notFound } from '#http/problem.ts';
import { HOST, HOST_DETAIL, HOST_ID, PUSH } from '#protocol/examples/operator.ts';
import { HostChanges, HostDetail, HostList, HostOnce, HostView, NewHost } from '#protocol/host/hosts.ts';
import { SecretHeaders } from '#protocol/host/push.ts';
import { AdminListQuery, pageOf } from '#protocol/lib/lists.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import {
  type HostChanges as Changes,
  findHostById,
  insertHost,
  policyOf,
  replaceHostToken,
  revokeHost as revoke,
  selectHostFailures,
  selectHosts,
  updateHost,
} from '#storage/host/hosts.ts';
import { hostView, hostViews, readPush, registerPush, reportOf, requireCallable } from './host-view.ts';

export const listHosts = operation({
  route: 'GET /admin/hosts',
  scope: 'operator:read',
  query: AdminListQuery,
  answers: { 200: HostList },
  handler: async (service, { query, reply }) => {
    const { limit, cursor } = query();
    const { rows, next_cursor } = pageOf(await selectHosts(service.database, cursor, limit), limit);
    return reply(200, { hosts: await hostViews(service, rows), next_cursor });
  },
});

const ENDED_SHOWN = 20;
const JOBS_OF_FAULT = 10;

export const getHost = operation({
  route: 'GET /admin/hosts/:id',
  scope: 'operator:read',
  answers: { 200: HostDetail },
  handler: async (service, { params, reply }) => {
    const { database, dispatcher, settings } = service;
    const row = await findHostById(database, params.id);
    if (row === null) throw notFound();
    const [view, [activity], failures] = await Promise.all([
      hostView(service, row),
      dispatcher().hostActivity([row.id], 0, ENDED_SHOWN),
      selectHostFailures(database, row.id, service.now() - DAY_MS),
    ]);
    const reported = reportOf(row);
    return reply(200, {
      ...view,
      slots: view.push?.slots ?? settings.hostSlots,
      driver: reported?.driver ?? null,
      free_bytes: activity?.freeBytes ?? null,
      ended: (activity?.ended ?? []).map(({ jobId, code, grantedAt, at }) => ({
        job_id: jobId,
        code,
        started_at: isoTimeOrNull(grantedAt ?? null),
        ended_at: isoTime(at),
      })),
      faults: faultsOf(failures),
    });
  },
});

/** `failures`: by code, the latest first. */
function faultsOf(failures: Awaited<ReturnType<typeof selectHostFailures>>) {
  const byCode = Map.groupBy(failures, ({ code }) => code);
  return [...byCode]
    .map(([code, all]) => ({
      code,
      count: all.length,
      last_at: isoTime(all[0]?.failedAt ?? 0),
      job_ids: [...new Set(all.map(({ jobId }) => jobId))].slice(0, JOBS_OF_FAULT),
    }))
    .sort((a, b) => b.count - a.count);
}

export const createHost = operation({
  route: 'POST /admin/hosts',
  scope: 'operator:admin',
  body: NewHost,
  answers: { 201: HostOnce },
  handler: async (service, { body, reply }) => {
    const { name, push } = await body();
    if (push) requireCallable(push, service.settings);
    const { id, secret, sha256 } = await newSecret('host');
    const stored = push ? JSON.stringify(push) : null;
    const row = { id, name, tokenSha256: sha256, createdAt: service.now(), push: stored };
    await insertHost(service.database, row);
    const answer = { host_id: id, name, token: secret };
    if (!push) return reply(201, answer);
    return reply(201, { ...answer, push_secret: await registerPush(service, { id, push, tokenSha256: sha256 }) });
  },
});

/**
 * Notifies the dispatcher at once. If that fails, the next claim of the host carries the change, within 30 seconds. A
 * push host makes no claims, so its object is notified.
 */
export const changeHost = operation({
  route: 'PATCH /admin/hosts/:id',
  scope: 'operator:operate',
  body: HostChanges,
  answers: { 200: HostView },
  handler: async (service, { params, body, reply }) => {
    const { database, dispatcher, log, pushHost } = service;
    const { hold, until, note, set_aside, ...rest } = await body();
    const holding: Changes =
      hold === undefined ? {} : { hold, holdUntil: until ? Date.parse(until) : null, note: null };
    const aside: Changes = set_aside === false ? { unfitBuild: null } : {};
    const changes = {
      ...withoutUndefined(rest),
      ...holding,
      ...(note === undefined ? {} : { note: note || null }),
      ...aside,
    };
    const host = await updateHost(database, params.id, changes);
    if (!host) throw notFound();
    try {
      await dispatcher().revise(host.id, policyOf(host), set_aside === false);
    } catch (error) {
      if (set_aside === false) throw error;
      log('failed to notify the dispatcher of a change', { host: host.id, error: reasonOf(error) });
    }
    if (host.push !== null) await pushHost(host.id).revise(policyOf(host));
    return reply(200, await hostView(service, host));
  },
});

function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** The headers are stored only in the object of the host: not in the database, the audit log or any answer. */
export const setHostHeaders = operation({
  route: 'PUT /admin/hosts/:id/headers',
  scope: 'operator:admin',
  body: SecretHeaders,
  answers: { 204: null },
  handler: async ({ pushHost }, { params, body, reply }) => {
    const { headers } = await body();
    if (!(await pushHost(params.id).setHeaders(headers))) throw notFound();
    return reply(204, null);
  },
});

export const rotateHost = operation({
  route: 'POST /admin/hosts/:id/rotate',
  scope: 'operator:admin',
  answers: { 200: HostOnce },
  handler: async (service, { params, reply }) => {
    const { secret, sha256 } = await newSecret('host');
    const host = await replaceHostToken(service.database, params.id, sha256);
    if (host === null) throw notFound();
    const answer = { host_id: params.id, name: host.name, token: secret };
    const push = readPush(host.push);
    if (!push) return reply(200, answer);
    const registration = { id: params.id, push, tokenSha256: sha256, policy: policyOf(host) };
    return reply(200, { ...answer, push_secret: await registerPush(service, registration) });
  },
});

export const revokeHost = operation({
  route: 'DELETE /admin/hosts/:id',
  scope: 'operator:admin',
  answers: { 204: null },
  handler: async (service, { params, reply }) => {
    const host = await revoke(service.database, params.id, service.now());
    if (host === null) throw notFound();
    // No alert goes on about a host that is given up.
    await service.dispatcher().revise(host.id, policyOf(host), true);
    if (host.push !== null) await service.pushHost(params.id).revoke();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  listHosts: {
    summary: 'List render hosts',
    description: 'Returns hosts, oldest first, with their present work.',
    answers: { 200: answer('A page of hosts.', { hosts: [HOST], next_cursor: null }) },
  },
  getHost: {
    summary: 'Read a render host',
    description:
      'Returns the host with its state, its latest attempts, and its failures of the last day with their jobs.',
    answers: { 200: answer('The host with its latest work.', HOST_DETAIL) },
  },
  createHost: {
    summary: 'Create a render host',
    description:
      'Creates the token with which the host asks for work. With `push`, the service sends the host its jobs instead: each as a grant, signed as Standard Webhooks are. The host answers 202 and continues as if it had claimed the job, or answers 429 or 503 with `Retry-After`.',
    body: {
      examples: {
        polls: { summary: 'A host that polls', value: { name: 'host 1' } },
        called: { summary: 'A push host', value: { name: 'host 2', push: PUSH } },
      },
    },
    answers: {
      201: {
        description: 'The token, which is shown only once.',
        examples: {
          polls: { summary: 'A host that polls', value: { host_id: HOST_ID, name: 'host 1', token: 'tr_host_…' } },
          called: {
            summary: 'A push host',
            value: { host_id: HOST_ID, name: 'host 2', token: 'tr_host_…', push_secret: 'whsec_…' },
          },
        },
      },
    },
  },
  changeHost: {
    summary: 'Change a render host',
    description:
      'Pauses, drains or resumes it, and sets its name and labels. It takes effect at once: a held host finishes its jobs and gets no more.',
    body: { examples: only({ hold: 'paused', until: '2026-05-04T20:00:00Z', note: 'a new driver' }) },
    answers: {
      200: answer('The host as it is now.', {
        ...HOST,
        state: 'paused',
        held_until: '2026-05-04T20:00:00.000Z',
        note: 'a new driver',
      }),
    },
  },
  setHostHeaders: {
    summary: 'Set the secret headers of a push host',
    description:
      'Replaces the headers that are sent with each grant, for a login proxy or a tunnel in front of the host. They are never shown again. 404 for a host that polls.',
    body: {
      examples: only({ headers: { 'CF-Access-Client-Id': '88bf3b6d.access', 'CF-Access-Client-Secret': 'a-secret' } }),
    },
    answers: { 204: { description: 'The headers are sent from the next grant on.' } },
  },
  rotateHost: {
    summary: "Replace a render host's token",
    command: 'hosts rotate <host>',
    description:
      'The host keeps its id and name. The old token is refused everywhere within 30 seconds. A push host also gets a new secret, which is valid at once.',
    answers: {
      200: answer('The new token, which is shown only once.', {
        host_id: HOST_ID,
        name: 'host 1',
        token: 'tr_host_…',
      }),
    },
  },
  revokeHost: {
    summary: "Revoke a render host's token",
    command: 'hosts revoke <host>',
    description: 'Revokes the token, everywhere within 30 seconds. A push host gets no more jobs.',
    answers: { 204: { description: 'The token is revoked.' } },
  },
});
