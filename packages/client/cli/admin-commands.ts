import { Command } from 'commander';
import { addDerived, type Derived } from './derived-commands.ts';
import { everyPage } from './every-page.ts';
import { hostsCommand } from './host-commands.ts';
import { reindexCommand } from './reindex-command.ts';
import { addSetting, UsageError } from './settings.ts';

const GROUPS = {
  accounts: 'whose jobs and clips they are',
  keys: 'what clients show; a key is shown once',
  registrations: 'tokens with which machines become hosts by themselves',
  jobs: 'of all accounts',
  clips: 'of all accounts',
  deliveries: 'webhooks that have not arrived',
  operators: 'who may use this; a token is shown once',
};

/** The operations behind the commands. Some have a second command, which sets fields of its own. */
const COMMANDS: Readonly<Record<string, Derived['operation'] | Derived>> = {
  'accounts list': 'listAccounts',
  'accounts show <account>': 'getAccount',
  'accounts create <name>': 'createAccount',
  'accounts update <account>': 'changeAccount',
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
  'accounts erase <account>': 'eraseAccount',
  'keys list <account>': 'listKeys',
  'keys create <account> <kind>': 'createKey',
  'keys rotate <account> <key>': 'rotateKey',
  'keys revoke <account> <key>': 'revokeKey',
  'hosts rotate <host>': 'rotateHost',
  'hosts revoke <host>': 'revokeHost',
  'registrations list': 'listRegistrations',
  'registrations create <name>': 'createRegistration',
  'registrations revoke <registration>': 'revokeRegistration',
  overview: 'getOverview',
  'jobs list': 'listAllJobs',
  'jobs show <job>': 'getJobStory',
  'jobs cancel <job>': 'cancelAnyJob',
  'jobs recover <job>': 'recoverJob',
  'clips check': { operation: 'checkClips', run: everyPage },
  'deliveries list': 'listTroubles',
  'deliveries resend [job_ids...]': {
    operation: 'resendTroubles',
    async run(call, fields) {
      if ('job_ids' in fields === 'all' in fields) throw new UsageError('Name jobs, or --all.');
      return call(fields);
    },
  },
  audit: 'listAudit',
  'operators list': 'listOperators',
  'operators create <name> <role>': 'createOperator',
  'operators revoke <operator>': 'revokeOperator',
};

/** `tickreel admin …`: what the operator of the service does, with `TICKREEL_ADMIN_TOKEN`. */
export function adminCommand(): Command {
  const admin = addSetting(new Command('admin'), 'admin_token').description(
    'what the operator does (needs TICKREEL_ADMIN_TOKEN)',
  );
  admin.addCommand(hostsCommand()).addCommand(reindexCommand());
  for (const [name, description] of Object.entries(GROUPS)) admin.command(name).description(description);
  for (const [line, command] of Object.entries(COMMANDS)) {
    addDerived(admin, line, typeof command === 'string' ? { operation: command } : command);
  }
  return admin;
}
