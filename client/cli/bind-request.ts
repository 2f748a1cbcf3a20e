import type { Command, OptionValues } from 'commander';
import type { ApiRequest, Call } from '../call.ts';
import { ask } from './context.ts';
import { print } from './output.ts';

/** The request that a command stands for, out of its arguments and options. */
export type RequestOf = (args: readonly string[], options: OptionValues) => ApiRequest;

/** Makes a command send one request and print what comes back. */
export function bindRequest(command: Command, connect: () => Call, request: RequestOf): void {
  command.action(async () => {
    print(await ask(connect(), request(command.args, command.opts())), command.optsWithGlobals().json === true);
  });
}
