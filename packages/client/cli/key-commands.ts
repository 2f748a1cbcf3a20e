import { Command, Option } from 'commander';
import { asClient, bind } from './bind.ts';
import { addOperations, listOptions } from './operation-commands.ts';
import { wholeNumber } from './parsers.ts';

export function keysCommand(): Command {
  const group = addOperations(new Command('keys').description('what your clients show; a key is shown once'), {
    list: ['listOwnKeys', 'by their hints, oldest first', ...listOptions().slice(0, 2)],
    'revoke <key>': [
      'revokeOwnKey',
      'refuse it, and the keys that it has made, within 30 seconds',
      new Option('--keep-made', 'keep the keys that it has made'),
    ],
  });
  const create = group
    .command('create <kind>')
    .description('a key of the kind of yours, or a test key; it remembers who made it')
    .option('--name <text>', 'to tell keys apart')
    .addOption(new Option('--scope <scope>', 'what it may do').choices(['ingest', 'read', 'submit', 'manage']))
    .option('--expires-at <time>', 'until when it is good, as in 2026-01-31T12:00:00Z')
    .option('--ingest-limits <limits...>', 'of scope ingest, on a day: demos=40 mib=4096 clips=80', limit);
  bind(create, asClient, (client, [kind], { name, scope, expiresAt: expires_at, ingestLimits: ingest_limits }) =>
    client.keys.create({ kind: kind as 'metered', name, scope, expires_at, ingest_limits }),
  );
  return group;
}

function limit(text: string, before: Readonly<Record<string, number>> = {}): Record<string, number> {
  const [name = '', value = ''] = text.split('=');
  return { ...before, [name]: wholeNumber(value) };
}
