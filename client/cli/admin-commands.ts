import { Argument, Command, Option, type OptionValues } from 'commander';
import { SCOPES } from '../../domain/account.ts';
import { TIERS, type Tier } from '../../domain/clip.ts';
import { RENDERERS } from '../../domain/need.ts';
import { asOperator } from './as-operator.ts';
import { bind, paged } from './bind.ts';
import { hostsCommand, registrationsCommand } from './host-commands.ts';
import { operateCommands } from './operate-commands.ts';
import { wholeNumber } from './parsers.ts';
import { recoveryCommands } from './recovery-commands.ts';
import { addSetting } from './settings.ts';

/** `tickreel admin …`: what the operator of the service does, with `TICKREEL_ADMIN_TOKEN`. */
export function adminCommand(): Command {
  const admin = addSetting(new Command('admin'), 'admin_token').description(
    'what the operator does (needs TICKREEL_ADMIN_TOKEN)',
  );
  admin.addCommand(accounts()).addCommand(keys()).addCommand(hostsCommand()).addCommand(registrationsCommand());
  for (const command of [...operateCommands(), ...recoveryCommands()]) admin.addCommand(command);
  return admin;
}

const kind = new Argument('<kind>', 'which jobs the key submits').choices(TIERS);
const slots = new Option('--slots <number>', 'reserved jobs that go ahead at a time, or "none" for no limit').argParser(
  (text) => (text === 'none' ? text : wholeNumber(text)),
);
const renderer = new Option('--renderer <renderer>', 'which hosts get its jobs, or "any"').choices([
  ...RENDERERS,
  'any',
]);
const labels = new Option('--labels <labels...>', 'labels that hosts have to have, or "none"');
const asksOf = (options: OptionValues) => ({
  provisioned_slots: options.slots === 'none' ? null : options.slots,
  renderer: options.renderer === 'any' ? null : options.renderer,
  labels: options.labels?.filter((label: string) => label !== 'none'),
});

function accounts(): Command {
  const group = new Command('accounts').description('whose jobs and clips they are');
  bind(paged(group.command('list').description('the oldest first')), asOperator, ({ call }, _, query) =>
    call('listAccounts', { query }),
  );
  const create = group.command('create <name>').description('a new account');
  bind(create.addOption(slots).addOption(renderer).addOption(labels), asOperator, ({ call }, [name = ''], options) =>
    call('createAccount', { body: { name, ...asksOf(options) } }),
  );
  bind(
    group
      .command('update <account>')
      .description('rename an account, change its slots and what it asks of hosts')
      .option('--name <name>')
      .addOption(slots)
      .addOption(renderer)
      .addOption(labels),
    asOperator,
    ({ call }, [id = ''], options) =>
      call('changeAccount', { params: { id }, body: { name: options.name, ...asksOf(options) } }),
  );
  const suspend = (command: Command, suspended: boolean) =>
    bind(command, asOperator, ({ call }, [id = '']) => call('changeAccount', { params: { id }, body: { suspended } }));
  suspend(
    group.command('suspend <account>').description('it may read, and change nothing; its queued jobs wait'),
    true,
  );
  suspend(group.command('resume <account>').description('suspend it no longer'), false);
  bind(
    group
      .command('limit <account> [limits...]')
      .description('its own limits, as in submits=6000; none for those of all'),
    asOperator,
    ({ call }, [id = '', ...limits]) =>
      call('changeAccount', { params: { id }, body: { limits: Object.fromEntries(limits.map(limitOf)) } }),
  );
  bind(
    group.command('cancel <account>').description('end all of its jobs'),
    asOperator,
    async ({ call }, [id = '']) => {
      let canceled = 0;
      let cursor: string | null | undefined;
      do {
        const query = cursor ? { cursor } : {};
        const page = await call('cancelAccount', { params: { id }, query });
        canceled += page.canceled;
        cursor = page.next_cursor;
      } while (cursor !== null);
      return { canceled };
    },
  );
  bind(
    group
      .command('erase <account>')
      .description('delete it with all that it owns; cannot be undone')
      .requiredOption('--name <name>', 'its name, to be sure that it is this one'),
    asOperator,
    ({ call }, [id = ''], { name }) => call('eraseAccount', { params: { id }, body: { name } }),
  );
  return group;
}

function limitOf(text: string): [name: string, limit: number] {
  const [name = '', limit = ''] = text.split('=');
  return [name, wholeNumber(limit)];
}

function keys(): Command {
  const group = new Command('keys').description('what clients show; a key is shown once');
  const list = paged(group.command('list <account>').description('the keys of an account'));
  bind(list, asOperator, ({ call }, [id = ''], query) => call('listKeys', { params: { id }, query }));
  bind(
    group
      .command('create <account>')
      .addArgument(kind)
      .description('a new key')
      .option('--name <text>', 'for people to tell keys apart')
      .addOption(new Option('--scope <scope>', 'what it may do').choices(SCOPES))
      .option('--expires-at <time>', 'as in 2026-01-31T12:00:00Z'),
    asOperator,
    ({ call }, [id = '', keyKind], { name, scope, expiresAt: expires_at }) =>
      call('createKey', { params: { id }, body: { kind: keyKind as Tier, name, scope, expires_at } }),
  );
  bind(
    group.command('rotate <account> <key>').description('a successor; revoke the old one afterwards'),
    asOperator,
    ({ call }, [id = '', key = '']) => call('rotateKey', { params: { id, key } }),
  );
  bind(
    group.command('revoke <account> <key>').description('refuse a key from now on'),
    asOperator,
    ({ call }, [id = '', key = '']) => call('revokeKey', { params: { id, key } }),
  );
  return group;
}
