import type { Command, OptionValues } from 'commander';
import type { Call } from '../call.ts';
import { ask } from './context.ts';
import { print } from './output.ts';

/** The request that a command stands for, out of its arguments and options. */
export type RequestOf = (
  args: readonly string[],
  options: OptionValues,
) => readonly [method: string, path: string, body?: unknown];

/** Makes a command send one request and print what comes back. */
export function bindRequest(command: Command, connect: () => Call, request: RequestOf): void {
  command.action(async () => {
    const [method, path, body] = request(command.args, command.opts());
    print(await ask(connect(), method, path, body), command.optsWithGlobals().json === true);
  });
}
