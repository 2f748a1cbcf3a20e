import { Argument, Command } from 'commander';
import { ROLES, type Role } from '../../domain/operator.ts';
import { asOperator } from './as-operator.ts';
import { bind, paged } from './bind.ts';
import { wholeNumber } from './parsers.ts';
import { UsageError } from './settings.ts';

/** What an operator looks at: `tickreel admin overview|jobs|deliveries|audit|operators`. */
export function operateCommands(): Command[] {
  return [overview(), jobs(), deliveries(), audit(), operators()];
}

function overview(): Command {
  const command = new Command('overview').description('what waits, who works, what fails, what is stored');
  bind(command.option('--days <number>', 'how many days to count', wholeNumber), asOperator, ({ call }, _, { days }) =>
    call('getOverview', { query: { days } }),
  );
  return command;
}

function jobs(): Command {
  const group = new Command('jobs').description('of all accounts');
  const list = paged(group.command('list').description('newest first'))
    .option('--account <account>')
    .option('--status <status>')
    .option('--tier <tier>')
    .option('--error-code <code>');
  bind(list, asOperator, ({ call }, _, { errorCode: error_code, ...query }) =>
    call('listAllJobs', { query: { ...query, error_code } }),
  );
  bind(group.command('show <job>').description('its whole story'), asOperator, ({ call }, [id = '']) =>
    call('getJobStory', { params: { id } }),
  );
  bind(
    group.command('cancel <job>').description('end it where it has not finished'),
    asOperator,
    ({ call }, [id = '']) => call('cancelAnyJob', { params: { id } }),
  );
  bind(
    group
      .command('recover <job>')
      .description('take it back to an earlier state: its state and webhooks, not its files')
      .option('--at <time>', 'as in 2026-01-31T12:00:00Z, at most 30 days ago')
      .option('--bookmark <bookmark>', 'or the undo_bookmark of an earlier answer'),
    asOperator,
    ({ call }, [id = ''], { at, bookmark }) => call('recoverJob', { params: { id }, body: { at, bookmark } }),
  );
  return group;
}

function deliveries(): Command {
  const group = new Command('deliveries').description('webhooks that have not arrived');
  const list = paged(group.command('list').description('the oldest first')).option('--account <account>');
  bind(list.option('--trouble <failing|exhausted>'), asOperator, ({ call }, _, query) =>
    call('listTroubles', { query }),
  );
  const resend = group.command('resend [jobs...]').description('send them again: of some jobs, or --all exhausted');
  resend.option('--all').option('--account <account>', 'with --all: of one account').option('--cursor <cursor>');
  bind(resend, asOperator, async ({ call }, job_ids, { all, account, cursor }) => {
    if (job_ids.length > 0 === (all === true)) throw new UsageError('Name jobs, or --all.');
    return call('resendTroubles', { body: all ? { all: 'exhausted', account, cursor } : { job_ids } });
  });
  return group;
}

function audit(): Command {
  const command = paged(new Command('audit').description('who changed what, the latest first'));
  bind(command, asOperator, ({ call }, _, query) => call('listAudit', { query }));
  return command;
}

function operators(): Command {
  const group = new Command('operators').description('who may use this; a token is shown once');
  bind(paged(group.command('list').description('the oldest first')), asOperator, ({ call }, _, query) =>
    call('listOperators', { query }),
  );
  const role = new Argument('<role>', 'what they may do').choices(ROLES);
  bind(
    group.command('create <name>').addArgument(role).description('a new operator'),
    asOperator,
    ({ call }, [name = '', given]) => call('createOperator', { body: { name, role: given as Role } }),
  );
  bind(
    group.command('revoke <operator>').description('refuse their token from now on'),
    asOperator,
    ({ call }, [id = '']) => call('revokeOperator', { params: { id } }),
  );
  return group;
}
