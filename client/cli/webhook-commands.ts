import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { createTickreel } from '../index.ts';
import { unreadable } from './api-commands.ts';
import { isJson } from './bind.ts';
import { print } from './output.ts';
import { settingsOf } from './settings.ts';

/** `tickreel webhooks …`. */
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
      // Nothing is sent: the body and the secret are all that it takes.
      const { webhooks } = createTickreel({ baseUrl: 'http://localhost', apiKey: 'none' });
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      print(await webhooks.unwrap(raw, headers, webhook_secret), isJson(command));
    });
  return group;
}

function readBody(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    return unreadable(error as Error);
  }
}
