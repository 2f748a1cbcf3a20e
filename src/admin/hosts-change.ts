import { reasonOf } from '#domain/reason.ts';
import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { readShape } from '#http/read-body.ts';
import { HostChanges } from '#protocol/admin.ts';
import { type HostChanges as Changes, policyOf, updateHost } from '#storage/hosts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { type HostViewWorld, hostViews } from './host-views.ts';

/**
 * `PATCH /admin/hosts/:id`. The dispatcher hears of it at once. Where it does not, or forgets, the host's next claim
 * brings it along: within 30 seconds. A host that is called brings nothing along: its own object is told.
 */
export const changeHost: AdminHandler<HostViewWorld | 'pushHost', 'id'> = async (service, { request, params }) => {
  const { database, dispatchers, log, pushHost } = service;
  const { hold, until, note, set_aside, ...rest } = await readShape(request, HostChanges);
  const holding: Changes = hold === undefined ? {} : { hold, holdUntil: until ? Date.parse(until) : null, note: null };
  const changes = { ...withoutUndefined(rest), ...holding, ...(note === undefined ? {} : { note: note || null }) };
  const host = await updateHost(database, params.id, changes);
  if (!host) throw notFound();
  try {
    await dispatchers.revise(host.id, policyOf(host), set_aside === false);
  } catch (error) {
    if (set_aside === false) throw error;
    log('the dispatcher has not heard of a change', { host: host.id, error: reasonOf(error) });
  }
  if (host.push !== null) await pushHost(host.id).revise(policyOf(host));
  const [view] = await hostViews(service, [host]);
  return json(view);
};

function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
