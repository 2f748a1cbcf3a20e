import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { createWebhooks } from '../index.ts';
import { unreadable } from './api-commands.ts';
import { asClient, bind, isJson } from './bind.ts';
import { addOperations } from './operation-commands.ts';
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
  bind(
    group
      .command('test <url>')
      .description('have the service post an example there, and show the answer')
      .addOption(new Option('--event <event>', 'which outcome').choices(['job.completed', 'job.failed']))
      .option('--webhook-auth-header <text>', 'the Authorization header'),
    asClient,
    async (client, [webhook_url = ''], { event, webhookAuthHeader: webhook_auth_header }) => {
      const tested = await client.webhooks.test({ webhook_url, event, webhook_auth_header });
      if (!tested.delivered) process.exitCode = 1;
      return tested;
    },
  );
  group.command('secrets').description('what your webhooks are signed under; two are live at a time');
  return addOperations(group, {
    'secrets list': ['listWebhookSecrets', 'without the secrets themselves'],
    'secrets create': ['createWebhookSecret', 'a new one, shown once'],
    'secrets delete <secret>': ['deleteWebhookSecret', 'stop signing with it'],
  });
}

function readBody(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    return unreadable(error as Error);
  }
}
