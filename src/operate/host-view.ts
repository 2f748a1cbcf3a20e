import type { z } from 'zod';
import { hostState } from '#domain/host/host-state.ts';
import { DAY_MS } from '#domain/job/metering.ts';
import { invalidRequest, notFound } from '#http/problem.ts';
import { pushSecretOf } from '#platform/digest.ts';
import type { Settings } from '#platform/settings.ts';
import { callUrlFault } from '#protocol/demo/demos.ts';
import { HostCapabilities } from '#protocol/host/host-capabilities.ts';
import type { HostView } from '#protocol/host/hosts.ts';
import { PushSettings } from '#protocol/host/push.ts';
import { isoTimeOrNull } from '#protocol/lib/shapes.ts';
import type { PushHostRegistration } from '#rpc/bindings.ts';
import type { HostActivity } from '#rpc/dispatcher.ts';
import type { JobActivity } from '#rpc/render-job.ts';
import { isoTimes } from '#service/account/account-view.ts';
import { askAll } from '#service/lib/each-of.ts';
import type { Service } from '#service/lib/service.ts';
import { countHostFailures, type HostRow } from '#storage/host/hosts.ts';

/** Throws a 400 problem if the service may not call that address, or if the host may not have so many jobs. */
export function requireCallable(push: PushSettings, settings: Settings): void {
  const fault = callUrlFault(push.url, settings);
  if (fault !== null) throw invalidRequest([{ path: 'push.url', message: fault }]);
  if (push.slots > settings.hostSlots) {
    throw invalidRequest([{ path: 'push.slots', message: `must be at most ${settings.hostSlots}` }]);
  }
}

/** Registers a push host and returns the secret that signs its grants. */
export async function registerPush(
  { pushHost, settings }: Pick<Service, 'pushHost' | 'settings'>,
  host: PushHostRegistration,
): Promise<string> {
  await pushHost(host.id).register(host);
  return pushSecretOf(settings.clipIdSecret, host.id, host.tokenSha256);
}

/** Parses the stored settings of a push host. */
export function readPush(text: string | null): PushSettings | null {
  return text === null ? null : PushSettings.parse(JSON.parse(text));
}

type HostViewPart = 'database' | 'dispatcher' | 'job' | 'now';

/** Jobs shown per host and per page: each is a call. */
const JOBS_SHOWN = 10;
const JOBS_ASKED = 200;

type View = z.input<typeof HostView>;

/** Returns hosts as operators see them: from the index, the dispatcher and their jobs. */
export async function hostViews(
  { database, dispatcher, job, now }: Pick<Service, HostViewPart>,
  rows: readonly HostRow[],
): Promise<View[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const at = now();
  const [failures, activities] = await Promise.all([
    countHostFailures(database, ids, at - DAY_MS),
    dispatcher().hostActivity(ids, JOBS_SHOWN, 0),
  ]);
  const asked = activities.flatMap((activity) => activity.jobs).slice(0, JOBS_ASKED);
  const answers = await askAll(asked, (id) => job(id).activity());
  const jobs = new Map(asked.map((id, i) => [id, answers[i] ?? null]));
  return rows.map((row, i) => {
    const ofHost = failures.filter(({ hostId }) => hostId === row.id);
    const failed = Object.fromEntries(ofHost.map(({ code, count }) => [code, count]));
    return viewOf(row, activities[i] ?? UNKNOWN, jobs, failed, at);
  });
}

/** Returns one host as operators see it. */
export async function hostView(service: Pick<Service, HostViewPart>, row: HostRow): Promise<View> {
  const [view] = await hostViews(service, [row]);
  if (!view) throw notFound();
  return view;
}

const UNKNOWN: HostActivity = {
  lastSeen: null,
  jobs: [],
  asideUntil: null,
  rest: null,
  isSilent: false,
  freeBytes: null,
  ended: [],
};

function viewOf(
  row: HostRow,
  { lastSeen: asked, jobs, asideUntil, rest, isSilent }: HostActivity,
  activities: ReadonlyMap<string, JobActivity | null>,
  failures_24h: Record<string, number>,
  now: number,
): View {
  const reported = reportOf(row);
  const calls = jobs.map((id) => activities.get(id)?.heardAt ?? null);
  const times = [asked, row.seenAt, ...calls].filter((time) => time !== null);
  const lastSeen = times.length === 0 ? null : Math.max(...times);
  const isRevoked = row.revokedAt !== null;
  const push = readPush(row.push);
  const able = reported ?? push?.capabilities;
  // A push host reports no build.
  const gameBuild = reported ? reported.game_build : row.unfitBuild;
  const isBarred = gameBuild !== null && gameBuild === row.unfitBuild;
  const set_aside_reason = isBarred ? `${gameBuild}: ${row.unfitDetail}` : null;
  const facts = { isRevoked, lastSeen, asideUntil, isBarred, rest, isSilent, jobs: jobs.length };
  const state = hostState({ ...row, ...facts }, now);
  const isHeld = state === row.hold;
  return {
    host_id: row.id,
    name: row.name,
    ...isoTimes(row),
    state,
    last_seen: isoTimeOrNull(lastSeen),
    held_until: isHeld ? isoTimeOrNull(row.holdUntil) : null,
    set_aside_until: isoTimeOrNull(asideUntil),
    set_aside_reason,
    resting_until: isoTimeOrNull(rest?.until ?? null),
    resting_reason: rest?.why ?? null,
    note: row.note,
    labels: row.labels,
    agent_version: reported?.agent_version ?? null,
    renderer: able?.renderer ?? null,
    game_build: able?.game_build ?? null,
    gpu: reported?.gpu ?? null,
    encoder: reported?.encoder ?? null,
    max_resolution: able?.max_resolution ?? null,
    max_film_height: reported?.max_film_height ?? null,
    max_fps: able?.max_fps ?? null,
    clock_off_s: reported?.clock_off_s ?? null,
    jobs: jobs.map((job_id) => {
      const activity = activities.get(job_id);
      return { job_id, status: activity?.status ?? null, progress: activity?.progress ?? null };
    }),
    failures_24h,
    push,
  };
}

/** Parses the last report of a host; null if this version cannot read it. */
export function reportOf({ capabilities }: HostRow): HostCapabilities | null {
  return capabilities === null ? null : (HostCapabilities.safeParse(JSON.parse(capabilities)).data ?? null);
}
