import { Command, type OptionValues } from 'commander';
import { ADMIN_ROUTES } from '../../protocol/routes.ts';
import { type Call, requestTo } from '../call.ts';
import { bindRequest, type RequestOf } from './bind-request.ts';
import { ask, asOperator, UsageError } from './context.ts';
import { type Host, hostRows } from './host-table.ts';
import { print } from './output.ts';

const run = (command: Command, request: RequestOf) => bindRequest(command, asOperator, request);

/** `tickreel admin hosts …`. */
export function hostsCommand(): Command {
  const group = new Command('hosts').description('machines that render; a token is shown once');
  group
    .command('list')
    .description('all hosts with what they do')
    .action(async (_, command: Command) => show(await allHosts(asOperator()), command));
  run(group.command('create <name>').description('a new host'), ([name]) => ({
    ...requestTo(ADMIN_ROUTES.createHost),
    body: { name },
  }));
  run(group.command('rotate <host>').description('another token for the same host'), ([id = '']) =>
    requestTo(ADMIN_ROUTES.rotateHost, { id }),
  );
  run(group.command('revoke <host>').description("refuse a host's token from now on"), ([id = '']) =>
    requestTo(ADMIN_ROUTES.revokeHost, { id }),
  );
  change(group.command('pause').description('no further jobs; those in hand are finished'), (options) => {
    return { hold: 'paused', until: endOf(options), note: options.note };
  })
    .option('--for <span>', 'how long, such as 30m, 2h or 1d')
    .option('--until <time>', 'as in 2026-01-31T12:00:00Z')
    .option('--note <text>', 'why, for whoever reads the list');
  change(group.command('drain').description('no further jobs, until it is resumed'), ({ note }) => {
    return { hold: 'draining', note };
  }).option('--note <text>', 'why, for whoever reads the list');
  change(group.command('resume').description('let it go on, also one that its faults set aside'), () => {
    return { hold: null, set_aside: false };
  });
  group
    .command('label <host> [labels...]')
    .description('replace its labels, which accounts can ask for')
    .action(async (host: string, labels: string[], _, command: Command) =>
      show(await changeAll({ host }, { labels }), command),
    );
  return group;
}

/** `tickreel admin registrations …`. */
export function registrationsCommand(): Command {
  const group = new Command('registrations').description('tokens with which machines become hosts by themselves');
  run(group.command('list').description('the newest'), () => requestTo(ADMIN_ROUTES.listRegistrations));
  run(
    group
      .command('create <name>')
      .description('a token for many machines; it is shown once')
      .option('--uses <number>', 'how many hosts it makes', Number, 1)
      .option('--hours <number>', 'for how long it is good', Number, 24),
    ([name], { uses, hours }) => ({
      ...requestTo(ADMIN_ROUTES.createRegistration),
      body: { name, uses, expires_in_hours: hours },
    }),
  );
  run(group.command('revoke <registration>').description('nobody registers with it any more'), ([id = '']) =>
    requestTo(ADMIN_ROUTES.revokeRegistration, { id }),
  );
  return group;
}

interface Which {
  readonly host?: string | undefined;
  readonly build?: string | undefined;
  readonly label?: string | undefined;
}

/** A command that changes one host, or all of a build or a label. */
function change(command: Command, changes: (options: OptionValues) => object): Command {
  return command
    .argument('[host]', 'its id or its name')
    .option('--build <build>', 'all hosts with this build of the game')
    .option('--label <label>', 'all hosts with this label')
    .action(async (host: string | undefined, options: OptionValues, self: Command) =>
      show(await changeAll({ host, build: options.build, label: options.label }, changes(options)), self),
    );
}

async function changeAll(which: Which, body: object): Promise<Host[]> {
  const call = asOperator();
  const changed: Host[] = [];
  for (const { host_id: id } of chosen(await allHosts(call), which)) {
    changed.push((await ask(call, { ...requestTo(ADMIN_ROUTES.changeHost, { id }), body })) as Host);
  }
  return changed;
}

/** The live hosts that are meant. Throws a `UsageError` where that is none, or not clear. */
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

/** Every page of the list. */
async function allHosts(call: Call): Promise<Host[]> {
  const hosts: Host[] = [];
  let cursor: string | null = null;
  do {
    const { method, path } = requestTo(ADMIN_ROUTES.listHosts);
    const query: string = cursor === null ? '' : `?${new URLSearchParams({ cursor })}`;
    const page = (await ask(call, { method, path: path + query })) as { hosts: Host[]; next_cursor: string | null };
    hosts.push(...page.hosts);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return hosts;
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** When a pause ends; undefined where nobody says so. */
function endOf({ for: span, until }: OptionValues): string | undefined {
  if (span === undefined) return until;
  const [, count, unit] = /^(\d+)([mhd])$/.exec(span) ?? [];
  if (count === undefined || unit === undefined)
    throw new UsageError(`${span} is no span of time such as 30m, 2h or 1d.`);
  return new Date(Date.now() + Number(count) * UNITS[unit as keyof typeof UNITS]).toISOString();
}

function show(hosts: readonly Host[], command: Command): void {
  print({ hosts }, command.optsWithGlobals().json === true, { hosts: hostRows(hosts, Date.now()) });
}
