import { Command } from 'commander';
import { OPERATOR_COMMANDS } from '../operator-shapes.ts';
import { addDerived, type Derived } from './derived-commands.ts';
import { everyPage } from './every-page.ts';
import { exportCommand } from './export-command.ts';
import { hostsCommand } from './host-commands.ts';
import type { Call } from './operation-commands.ts';
import { reindexCommand } from './reindex-command.ts';
import { addSetting, UsageError } from './settings.ts';
import { usageCommand } from './usage-command.ts';

const GROUPS = {
  alerts: 'messages about faults, sent to ALERT_WEBHOOK_URL',
  accounts: 'whose jobs and clips they are',
  keys: 'what clients show; a key is shown once',
  rules: 'what is made by itself when a demo arrives',
  registrations: 'tokens with which machines become hosts by themselves',
  jobs: 'of all accounts',
  clips: 'of all accounts',
  deliveries: 'webhooks that have not arrived',
  operators: 'who may use this; a token is shown once',
  maintenance: 'refuse new work for a while',
  blocks: 'demos that are not fetched',
};

/** Commands that do more than their operation, or set fields of its body. The others are in the operations' words. */
const COMMANDS: Readonly<Record<string, Derived>> = {
  'accounts suspend <account>': {
    operation: 'changeAccount',
    description: 'it may read, and change nothing; its queued jobs wait',
    body: { suspended: true },
  },
  'accounts resume <account>': {
    operation: 'changeAccount',
    description: 'suspend it no longer',
    body: { suspended: false },
  },
  'accounts limit <account> [limits...]': {
    operation: 'changeAccount',
    description: 'its own limits, as in submits=6000; none for those of all',
    body: { limits: {} },
  },
  'accounts cancel <account>': { operation: 'cancelAccount', run: everyPage },
  'alerts test': {
    operation: 'testAlerts',
    async run(call, fields) {
      const tested = await call(fields);
      if (tested.delivered !== true) process.exitCode = 1;
      return tested;
    },
  },
  'clips check': { operation: 'checkClips', run: everyPage },
  'deliveries resend [job_ids...]': { operation: 'resendTroubles', run: namedOrAll },
  'jobs resubmit [job_ids...]': { operation: 'resubmitJobs', run: namedOrAll },
};

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
  for (const [line, operation] of Object.entries(OPERATOR_COMMANDS)) addDerived(admin, line, { operation });
  for (const [line, command] of Object.entries(COMMANDS)) addDerived(admin, line, command);
  admin.commands.find((group) => group.name() === 'accounts')?.addCommand(exportCommand());
  return admin;
}
