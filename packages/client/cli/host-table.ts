import { span } from '#domain/time-span.ts';
import { clockText } from '#protocol/signed-message.ts';
import type { Host } from '../operator-shapes.ts';

/** Returns hosts as rows of a table, without columns that are empty for all. `now` in milliseconds since the epoch. */
export function hostRows(hosts: readonly Host[], now: number): Record<string, string>[] {
  const rows = hosts.map((host) => rowOf(host, now));
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== ''));
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? ''])));
}

function rowOf(host: Host, now: number): Record<string, string> {
  return {
    name: host.name,
    state: state(host, now),
    seen: host.last_seen === null ? 'never' : `${span((now - Date.parse(host.last_seen)) / 1000)} ago`,
    version: host.agent_version ?? '',
    renders: [host.renderer, host.game_build].filter(isKnown).join(' '),
    with: [host.gpu, host.encoder].filter(isKnown).join(', '),
    clock: host.clock_off_s === null ? '' : `${clockText(host.clock_off_s)} ours`,
    jobs: jobs(host),
    'failed in 24 h': counts(host.failures_24h),
    labels: host.labels.join(' '),
    note: [host.set_aside_reason, host.resting_reason, host.note].filter(isKnown).join('; '),
    host: host.host_id,
  };
}

function isKnown(value: string | null): value is string {
  return value !== null;
}

function state({ state: now_, held_until, set_aside_until, resting_until, revoked_at }: Host, now: number): string {
  if (revoked_at !== null) return 'revoked';
  const until = { 'set aside': set_aside_until, resting: resting_until }[now_ as string] ?? held_until;
  return until === null ? now_ : `${now_}, ${span((Date.parse(until) - now) / 1000)} more`;
}

function jobs({ jobs: all }: Host): string {
  const texts = all.map(({ job_id, status, progress }) => {
    const share = progress === null ? (status ?? '') : `${Math.floor(progress * 100)} %`;
    return `${job_id.slice(0, 8)} ${share}`.trim();
  });
  return texts.join(', ');
}

function counts(failures: Readonly<Record<string, number>>): string {
  const byCount = Object.entries(failures).sort(([, a], [, b]) => b - a);
  return byCount.map(([code, count]) => `${count} ${code}`).join(', ');
}
