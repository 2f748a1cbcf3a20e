import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { createWebhooks } from '../index.ts';
import { unreadable } from './api-commands.ts';
import { isJson } from './bind.ts';
import type { Call } from './operation-commands.ts';
import { print } from './output.ts';
import { settingsOf } from './settings.ts';

export function webhooksCommand(): Command {
  const group = new Command('webhooks').description('outcomes that the service posts');
  group
    .command('verify <file>')
    .description('check the signature of a webhook, whose body is in the file, and print it; - is standard input')
    .requiredOption('--id <text>', 'its header webhook-id')
    .requiredOption('--timestamp <text>', 'its header webhook-timestamp')
    .requiredOption('--signature <text>', 'its header webhook-signature')
    .action(async (file: string, { id, timestamp, signature }: Record<string, string>, command: Command) => {
      const { webhook_secret } = settingsOf(command, 'webhook_secret');
      const raw = readBody(file);
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      print(await createWebhooks(webhook_secret).unwrap(raw, headers), isJson(command));
    });
  group.command('secrets').description('what your webhooks are signed under; two are live at a time');
  return group;
}

/** `tickreel webhooks test`. Exit status 1 if it was not delivered. */
export async function tested(call: Call, fields: Readonly<Record<string, unknown>>): Promise<object> {
  const answer = await call(fields);
  if (answer.delivered !== true) process.exitCode = 1;
  return answer;
}

function readBody(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    return unreadable(error as Error);
  }
}
