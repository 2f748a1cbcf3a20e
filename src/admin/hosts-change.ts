import { reasonOf } from '#domain/reason.ts';
import { notFound } from '#http/problem.ts';
import { HostChanges, HostView } from '#protocol/admin.ts';
import { HOST } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { type HostChanges as Changes, policyOf, updateHost } from '#storage/hosts.ts';
import { hostView } from './host-views.ts';

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

export const words = (): Words => ({
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
});

function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
