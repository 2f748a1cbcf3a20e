import type { Command, OptionValues } from 'commander';
import { createTickreel, type Tickreel } from '../index.ts';
import { print } from './output.ts';
import { settingsOf } from './settings.ts';

/** A person waits for the answer. */
export const MAX_RETRIES = 2;

/** Creates a client of an account. */
export function asClient(command: Command): Tickreel {
  const { url, api_key } = settingsOf(command, 'url', 'api_key');
  return createTickreel({ baseUrl: url, apiKey: api_key, maxRetries: MAX_RETRIES });
}

export function isJson(command: Command): boolean {
  return command.optsWithGlobals().json === true;
}

type Run<Client> = (client: Client, args: readonly string[], options: OptionValues) => Promise<unknown>;

/** Makes a command call the service once and print the answer. */
export function bind<Client>(command: Command, connect: (command: Command) => Client, run: Run<Client>): void {
  command.action(async () => {
    print((await run(connect(command), command.args, command.opts())) ?? null, isJson(command));
  });
}
