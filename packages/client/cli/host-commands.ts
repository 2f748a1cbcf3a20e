import { text } from 'node:stream/consumers';
import { Command, Option, type OptionValues } from 'commander';
import { RESOLUTIONS } from '#domain/clip/render-order.ts';
import { RENDERERS } from '#domain/host/need.ts';
import { span } from '#domain/lib/text.ts';
import { clockText } from '#protocol/lib/signed-message.ts';
import { createListing } from '../operations.ts';
import type { TickreelOperator } from '../operator.ts';
import type { Host, HostChanges, NewHost } from '../operator-shapes.ts';
import { asOperator } from './export-command.ts';
import { wholeNumber } from './operation-commands.ts';
import { print } from './output.ts';
import { bind, isJson, UsageError } from './settings.ts';

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
    renders: [host.renderer, host.game_build].filter(Boolean).join(' '),
    with: [host.gpu, host.encoder].filter(Boolean).join(', '),
    clock: host.clock_off_s === null ? '' : `${clockText(host.clock_off_s)} ours`,
    jobs: jobs(host),
    'failed in 24 h': Object.entries(host.failures_24h)
      .sort(([, a], [, b]) => b - a)
      .map(([code, count]) => `${count} ${code}`)
      .join(', '),
    labels: host.labels.join(' '),
    note: [host.set_aside_reason, host.resting_reason, host.note].filter(Boolean).join('; '),
    host: host.host_id,
  };
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

/** `tickreel admin hosts …`. */
export function hostsCommand(): Command {
  const group = new Command('hosts').description('machines that render; a token is shown once');
  group
    .command('list')
    .description('all hosts with what they do')
    .action(async (_, command: Command) => show(await allHosts(asOperator(command)), command));
  bind(
    group
      .command('show <host>')
      .description('one host, by its id or its name: what it is, its latest attempts, its faults of a day with jobs'),
    asOperator,
    async (operator, [host]) => {
      const [found] = chosen(await allHosts(operator), { host });
      return operator.call('getHost', { params: { id: found?.host_id ?? '' } });
    },
  );
  bind(
    group
      .command('create <name>')
      .description('a new host: one that asks for work or, with --push-url, one that is sent it')
      .option('--push-url <url>', 'where its jobs are posted to (docs/push-hosts.md)')
      .option('--slots <number>', 'of a push host: how many jobs at a time', wholeNumber, 1)
      .addOption(
        new Option('--renderer <renderer>', 'likewise: what it draws with').choices(RENDERERS).default('radar'),
      )
      .addOption(new Option('--max-resolution <lines>', 'likewise').choices(RESOLUTIONS.map(String)).default('1440'))
      .option('--max-fps <number>', 'likewise', wholeNumber, 120)
      .option('--game-build <build>', 'likewise, of a renderer with a game')
      .option('--skills <skills...>', 'likewise: work that it knows beyond rendering'),
    asOperator,
    ({ call }, [name = ''], options) => call('createHost', { body: { name, push: pushOf(options) } }),
  );
  bind(
    group
      .command('headers <id>')
      .description('replace the secret headers of a push host; reads a JSON object from standard input'),
    asOperator,
    async ({ call }, [id = '']) =>
      call('setHostHeaders', { params: { id }, body: { headers: JSON.parse(await text(process.stdin)) } }),
  );
  change(group.command('pause').description('give it no new jobs; it finishes those that it has'), (options) => {
    return { hold: 'paused', until: endOf(options), note: options.note };
  })
    .option('--for <span>', 'how long, such as 30m, 2h or 1d')
    .option('--until <time>', 'as in 2026-01-31T12:00:00Z')
    .option('--note <text>', 'why, for whoever reads the list');
  change(group.command('drain').description('no further jobs, until it is resumed'), ({ note }) => {
    return { hold: 'draining', note };
  }).option('--note <text>', 'why, for whoever reads the list');
  change(group.command('resume').description('let it have jobs again, also one that is set aside'), () => {
    return { hold: null, set_aside: false };
  });
  group
    .command('label <host> [labels...]')
    .description('replace its labels, which accounts can ask for')
    .action(async (host: string, labels: string[], _, command: Command) =>
      show(await changeAll(asOperator(command), { host }, { labels }), command),
    );
  return group;
}

function pushOf({ pushUrl: url, slots, renderer, maxResolution, maxFps, gameBuild, skills }: OptionValues) {
  if (url === undefined) return undefined;
  const able = { renderer, max_resolution: Number(maxResolution), max_fps: maxFps, game_build: gameBuild ?? null };
  return { url, slots, capabilities: { ...able, ...(skills ? { skills } : {}) } } as NewHost['push'];
}

interface Which {
  readonly host?: string | undefined;
  readonly build?: string | undefined;
  readonly label?: string | undefined;
}

/** Returns a command that changes one host, or all of a build or a label. */
function change(command: Command, changes: (options: OptionValues) => HostChanges): Command {
  return command
    .argument('[host]', 'its id or its name')
    .option('--build <build>', 'all hosts with this build of the game')
    .option('--label <label>', 'all hosts with this label')
    .action(async (host: string | undefined, options: OptionValues, self: Command) =>
      show(
        await changeAll(asOperator(self), { host, build: options.build, label: options.label }, changes(options)),
        self,
      ),
    );
}

async function changeAll(operator: TickreelOperator, which: Which, body: HostChanges): Promise<Host[]> {
  const changed: Host[] = [];
  for (const { host_id: id } of chosen(await allHosts(operator), which)) {
    changed.push(await operator.call('changeHost', { params: { id }, body }));
  }
  return changed;
}

/** Returns the live hosts that a command names. Throws a `UsageError` if there is none, or if a name is ambiguous. */
export function chosen(hosts: readonly Host[], { host, build, label }: Which): Host[] {
  if ([host, build, label].filter((given) => given !== undefined).length !== 1) {
    throw new UsageError('Name one host, or --build, or --label.');
  }
  const live = hosts.filter(({ revoked_at }) => revoked_at === null);
  const found = live.filter(
    ({ host_id, name, game_build, labels }) =>
      (host !== undefined && (host_id === host || name === host)) ||
      (build !== undefined && game_build === build) ||
      (label !== undefined && labels.includes(label)),
  );
  if (found.length === 0) throw new UsageError(`There is no such host: ${host ?? build ?? label}.`);
  if (host !== undefined && found.length > 1) {
    throw new UsageError(`${found.length} hosts are called ${host}: name one by its id.`);
  }
  return found;
}

/** Returns the hosts of all pages. */
async function allHosts({ call }: TickreelOperator): Promise<Host[]> {
  const list = createListing((query) => call('listHosts', { query }), 'hosts');
  const hosts: Host[] = [];
  for await (const host of list) hosts.push(host);
  return hosts;
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns when a pause ends; undefined if no option says so. */
function endOf({ for: span, until }: OptionValues): string | undefined {
  if (span === undefined) return until;
  const [, count, unit] = /^(\d+)([mhd])$/.exec(span) ?? [];
  if (count === undefined || unit === undefined)
    throw new UsageError(`${span} is no span of time such as 30m, 2h or 1d.`);
  return new Date(Date.now() + Number(count) * UNITS[unit as keyof typeof UNITS]).toISOString();
}

function show(hosts: readonly Host[], command: Command): void {
  print({ hosts }, isJson(command), { hosts: hostRows(hosts, Date.now()) });
}
