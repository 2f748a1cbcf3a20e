import { Argument, Command, type OptionValues } from 'commander';
import { ROLES } from '../../domain/operator.ts';
import { OPERATE_ROUTES } from '../../protocol/routes.ts';
import { type ApiRequest, requestTo } from '../call.ts';
import { bindRequest, type RequestOf } from './bind-request.ts';
import { asOperator, UsageError } from './context.ts';

const run = (command: Command, request: RequestOf) => bindRequest(command, asOperator, request);

/** What an operator looks at: `tickreel admin overview|jobs|deliveries|audit|operators`. */
export function operateCommands(): Command[] {
  return [overview(), jobs(), deliveries(), audit(), operators()];
}

function overview(): Command {
  const command = new Command('overview').description('what waits, who works, what fails, what is stored');
  run(command.option('--days <n>', 'how many days to count'), (_, options) =>
    queried(requestTo(OPERATE_ROUTES.getOverview), options),
  );
  return command;
}

function jobs(): Command {
  const group = new Command('jobs').description('of all accounts');
  const list = group.command('list').description('newest first; go on with --cursor');
  list.option('--account <account>').option('--status <status>').option('--tier <tier>');
  list.option('--error-code <code>').option('--limit <n>').option('--cursor <cursor>');
  run(list, (_, { errorCode, ...options }) =>
    queried(requestTo(OPERATE_ROUTES.listAllJobs), { ...options, error_code: errorCode }),
  );
  run(group.command('show <job>').description('its whole story'), ([id = '']) =>
    requestTo(OPERATE_ROUTES.getJobStory, { id }),
  );
  return group;
}

function deliveries(): Command {
  const group = new Command('deliveries').description('webhooks that have not arrived');
  const list = group.command('list').description('the oldest first');
  list.option('--account <account>').option('--trouble <failing|exhausted>').option('--limit <n>');
  run(list.option('--cursor <cursor>'), (_, options) => queried(requestTo(OPERATE_ROUTES.listTroubles), options));
  const resend = group.command('resend [jobs...]').description('send them again: of some jobs, or --all exhausted');
  resend.option('--all').option('--account <account>', 'with --all: of one account').option('--cursor <cursor>');
  run(resend, (jobIds, { all, account, cursor }) => {
    if (jobIds.length > 0 === (all === true)) throw new UsageError('Name jobs, or --all.');
    const what = all ? { all: 'exhausted', account, cursor } : { job_ids: jobIds };
    return { ...requestTo(OPERATE_ROUTES.resendTroubles), body: what };
  });
  return group;
}

function audit(): Command {
  const command = new Command('audit').description('who changed what, the latest first');
  run(command.option('--limit <n>').option('--cursor <cursor>'), (_, options) =>
    queried(requestTo(OPERATE_ROUTES.listAudit), options),
  );
  return command;
}

function operators(): Command {
  const group = new Command('operators').description('who may use this; a token is shown once');
  const list = group.command('list').description('the oldest first').option('--limit <n>');
  run(list.option('--cursor <cursor>'), (_, options) => queried(requestTo(OPERATE_ROUTES.listOperators), options));
  const role = new Argument('<role>', 'what they may do').choices(ROLES);
  run(group.command('create <name>').addArgument(role).description('a new operator'), ([name, given]) => ({
    ...requestTo(OPERATE_ROUTES.createOperator),
    body: { name, role: given },
  }));
  run(group.command('revoke <operator>').description('refuse their token from now on'), ([id = '']) =>
    requestTo(OPERATE_ROUTES.revokeOperator, { id }),
  );
  return group;
}

/** With the options that were given as its query. */
function queried({ method, path }: ApiRequest, options: OptionValues): ApiRequest {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { method, path: `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` };
}
