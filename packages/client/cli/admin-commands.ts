import { Command } from 'commander';
import { OPERATOR_COMMANDS, OPERATOR_ROUTES } from '../operator-shapes.ts';
import { tested } from './api-commands.ts';
import { asOperator, exportCommand, usageCommand } from './export-command.ts';
import { hostsCommand } from './host-commands.ts';
import { addOperation, addOperations, type Call, type OperationCommand } from './operation-commands.ts';
import { everyPage, reindexCommand } from './reindex-command.ts';
import { addSetting, UsageError } from './settings.ts';

const GROUPS = {
  alerts: 'messages about faults, sent to ALERT_WEBHOOK_URL',
  arrivals: 'demos that arrive',
  checks: 'access to other services',
  accounts: 'customers, with their limits and keys',
  keys: 'API keys; a key is shown only when it is made',
  rules: 'clips that are made when a demo arrives',
  registrations: 'tokens with which machines become hosts by themselves',
  jobs: 'jobs of all accounts',
  clips: 'clips of all accounts',
  deliveries: 'webhooks that have not arrived',
  operators: 'who may use this; a token is shown once',
  maintenance: 'refuse new work for a while',
  blocks: 'demos that are not fetched',
};

/** Commands that do more than their operation, or set fields of its body. */
const COMMANDS: readonly (readonly [operation: keyof typeof OPERATOR_COMMANDS, OperationCommand])[] = [
  [
    'changeAccount',
    {
      line: 'accounts suspend <account>',
      about: 'suspend an account: it may read but change nothing, and its queued jobs wait',
      body: { suspended: true },
    },
  ],
  ['changeAccount', { line: 'accounts resume <account>', about: 'end the suspension', body: { suspended: false } }],
  [
    'changeAccount',
    {
      line: 'accounts limit <account> [limits...]',
      about: 'set its own limits, such as submits=6000; without any, the limits of the deployment apply',
      body: { limits: {} },
    },
  ],
  ['cancelAccount', { line: 'accounts cancel <account>', run: everyPage }],
  ['testAlerts', { line: 'alerts test', run: tested }],
  ['checkClips', { line: 'clips check', run: everyPage }],
  ['resendTroubles', { line: 'deliveries resend [job_ids...]', run: namedOrAll }],
  ['resubmitJobs', { line: 'jobs resubmit [job_ids...]', run: namedOrAll }],
];

/** Acts on the named jobs, or on all that match. Exit status 1 if a named job is refused. */
async function namedOrAll(call: Call, fields: Readonly<Record<string, unknown>>): Promise<object> {
  if ('job_ids' in fields === 'all' in fields) throw new UsageError('Name jobs, or --all.');
  const answer = await everyPage(call, fields);
  const refused = 'refused' in answer && Array.isArray(answer.refused) ? answer.refused : [];
  if ('job_ids' in fields && refused.length > 0) process.exitCode = 1;
  return answer;
}

/** `tickreel admin …`: what the operator of the service does, with `TICKREEL_ADMIN_TOKEN`. */
export function adminCommand(): Command {
  const admin = addSetting(new Command('admin'), 'admin_token').description(
    'what the operator does (needs TICKREEL_ADMIN_TOKEN)',
  );
  admin.addCommand(hostsCommand()).addCommand(reindexCommand()).addCommand(usageCommand());
  for (const [name, description] of Object.entries(GROUPS)) admin.command(name).description(description);
  const api = { routes: OPERATOR_ROUTES, rows: OPERATOR_COMMANDS, connect: asOperator };
  addOperations(admin, api);
  for (const [operation, command] of COMMANDS) addOperation(admin, api, operation, command);
  admin.commands.find((group) => group.name() === 'accounts')?.addCommand(exportCommand());
  return admin;
}
