import { Argument, Command, Option, type OptionValues } from 'commander';
import { TIERS } from '../../domain/clip.ts';
import { RENDERERS } from '../../domain/need.ts';
import { ADMIN_ROUTES } from '../../protocol/routes.ts';
import { requestTo } from '../call.ts';
import { bindRequest, type RequestOf } from './bind-request.ts';
import { asOperator } from './context.ts';
import { hostsCommand, registrationsCommand } from './host-commands.ts';

/** `tickreel admin …`: what the operator of the service does, with `TICKREEL_ADMIN_TOKEN`. */
export function adminCommand(): Command {
  const admin = new Command('admin').description('accounts, API keys and render hosts (needs TICKREEL_ADMIN_TOKEN)');
  admin
    .addCommand(accounts())
    .addCommand(jobs())
    .addCommand(keys())
    .addCommand(hostsCommand())
    .addCommand(registrationsCommand());
  return admin;
}

const kind = new Argument('<kind>', 'which jobs the key submits').choices(TIERS);
const slots = new Option('--slots <number>', 'reserved jobs that go ahead at a time, or "none" for no limit');
const renderer = new Option('--renderer <renderer>', 'which hosts get its jobs, or "any"').choices([
  ...RENDERERS,
  'any',
]);
const labels = new Option('--labels <labels...>', 'labels that hosts have to have, or "none"');
const asksOf = (options: OptionValues) => ({
  renderer: options.renderer === 'any' ? null : options.renderer,
  labels: options.labels?.filter((label: string) => label !== 'none'),
});
const slotsOf = (text: string | undefined) => (text === 'none' ? null : text && Number(text));

function accounts(): Command {
  const group = new Command('accounts').description('whose jobs and clips they are');
  run(group.command('list').description('all accounts'), () => requestTo(ADMIN_ROUTES.listAccounts));
  const create = group.command('create <name>').description('a new account');
  run(create.addOption(slots).addOption(renderer).addOption(labels), ([name], options) => ({
    ...requestTo(ADMIN_ROUTES.createAccount),
    body: { name, provisioned_slots: slotsOf(options.slots), ...asksOf(options) },
  }));
  run(
    group
      .command('update <account>')
      .description('rename an account, change its slots and what it asks of hosts')
      .option('--name <name>')
      .addOption(slots)
      .addOption(renderer)
      .addOption(labels),
    ([id = ''], options) => ({
      ...requestTo(ADMIN_ROUTES.changeAccount, { id }),
      body: { name: options.name, provisioned_slots: slotsOf(options.slots), ...asksOf(options) },
    }),
  );
  run(
    group.command('cancel <account>').description('end its jobs that have not finished, 500 at a time'),
    ([id = '']) => requestTo(ADMIN_ROUTES.cancelAccount, { id }),
  );
  return group;
}

function jobs(): Command {
  const group = new Command('jobs').description('jobs of any account');
  run(group.command('cancel <job>').description('end it where it has not finished'), ([id = '']) =>
    requestTo(ADMIN_ROUTES.cancelAnyJob, { id }),
  );
  return group;
}

function keys(): Command {
  const group = new Command('keys').description('what clients show; a key is shown once');
  run(group.command('list <account>').description('the keys of an account'), ([id = '']) =>
    requestTo(ADMIN_ROUTES.listKeys, { id }),
  );
  run(group.command('create <account>').addArgument(kind).description('a new key'), ([id = '', keyKind]) => ({
    ...requestTo(ADMIN_ROUTES.createKey, { id }),
    body: { kind: keyKind },
  }));
  run(
    group.command('rotate <account> <key>').description('a successor; revoke the old one afterwards'),
    ([id = '', key = '']) => requestTo(ADMIN_ROUTES.rotateKey, { id, key }),
  );
  run(group.command('revoke <account> <key>').description('refuse a key from now on'), ([id = '', key = '']) =>
    requestTo(ADMIN_ROUTES.revokeKey, { id, key }),
  );
  return group;
}

const run = (command: Command, request: RequestOf) => bindRequest(command, asOperator, request);
