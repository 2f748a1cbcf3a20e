import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Command, OptionValues } from 'commander';
import { createTickreel, type Tickreel, TickreelError } from '../index.ts';
import { print, tell } from './output.ts';

/** The command was called wrongly. Exit status 2. */
export class UsageError extends Error {}

/**
 * The settings. Options use dashes, the file uses these names. An option wins over the environment, and the environment
 * over the file.
 */
const MEANINGS = {
  url: 'address of the service',
  api_key: 'key of your account',
  admin_token: "the operator's token",
  webhook_secret: 'what webhooks are signed under',
};
export type Setting = keyof typeof MEANINGS;

/** `--api-key` and `TICKREEL_API_KEY`. */
const optionOf = (name: Setting) => `--${name.replace('_', '-')}`;
const variableOf = (name: Setting) => `TICKREEL_${name.toUpperCase()}`;

/** Adds the option of a setting to a command and those below it. */
export function addSetting(command: Command, name: Setting): Command {
  return command.option(`${optionOf(name)} <text>`, `${MEANINGS[name]}; or ${variableOf(name)}`);
}

export function addSettings(program: Command): Command {
  for (const name of ['url', 'api_key', 'webhook_secret'] as const) addSetting(program, name);
  return program.option('--config <file>', 'where `login` stores them; or TICKREEL_CONFIG');
}

/** Returns a setting of the command, or undefined. */
export function settingOf(command: Command, name: Setting): string | undefined {
  const options = command.optsWithGlobals();
  const given = options[name.replace(/_(\w)/, (_, letter) => letter.toUpperCase())];
  return given || process.env[variableOf(name)] || readSettings(command)[name];
}

/** Returns settings that a command needs. Throws a `UsageError` that says how to set missing ones. */
export function neededSettings<Name extends Setting>(
  command: Command,
  ...names: readonly Name[]
): Record<Name, string> {
  const found = names.map((name) => [name, settingOf(command, name)] as const);
  const missing = found.filter(([, value]) => !value).map(([name]) => name);
  if (missing.length > 0) {
    const and = (words: readonly string[]) => words.join(' and ');
    throw new UsageError(
      `Set ${and(missing.map(variableOf))} in the environment, give ${and(missing.map(optionOf))}, or run \`tickreel login\`.`,
    );
  }
  const wrong = found.find(
    ([name, value]) => name === 'url' && !(/^https?:/i.test(value ?? '') && URL.canParse(value ?? '')),
  );
  if (wrong) throw new UsageError(`${wrong[1]} is no address of a service: it begins with https://.`);
  return Object.fromEntries(found) as Record<Name, string>;
}

/** Stores settings for later calls, in a file that only its owner can read. Returns its path. */
export function storeSettings(command: Command, settings: Partial<Record<Setting, string>>): string {
  const path = fileOf(command);
  const text = `${JSON.stringify({ ...readSettings(command), ...settings }, null, 2)}\n`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
  // The mode above applies to new files only.
  chmodSync(path, 0o600);
  return path;
}

function fileOf(command: Command): string {
  const folder = process.env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return command.optsWithGlobals().config || process.env.TICKREEL_CONFIG || join(folder, 'tickreel', 'config.json');
}

function readSettings(command: Command): Partial<Record<Setting, string>> {
  const path = fileOf(command);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return {};
  }
  try {
    const stored: unknown = JSON.parse(text);
    if (typeof stored === 'object' && stored !== null) return stored;
  } catch {}
  throw new UsageError(`${path} is no file of settings: run \`tickreel login\`, or remove it.`);
}

/** A person waits for the answer. */
export const MAX_RETRIES = 2;

export function asClient(command: Command): Tickreel {
  const { url, api_key } = neededSettings(command, 'url', 'api_key');
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

/** Runs a command. Prints an error as a line, and sets the exit status. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<void> {
  exitOnUsageErrors(program);
  for (const stream of [process.stdout, process.stderr]) stream.off('error', endQuietly).on('error', endQuietly);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    tell(messageOf(error));
    process.exitCode = exitStatus(error);
  }
}

/** Ends the program when the reader of its output closes the pipe, as in `tickreel … | head`. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}

/** `--help` is not an error. An unknown command is. */
function exitOnUsageErrors(command: Command): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  for (const subcommand of command.commands) exitOnUsageErrors(subcommand);
}

/** The exit status shows what kind of error it was. */
function exitStatus(error: unknown): number {
  if (error instanceof UsageError) return 2;
  if (!(error instanceof TickreelError)) return 3;
  return error.isTransient ? 3 : 1;
}

function messageOf(error: unknown): string {
  if (!(error instanceof TickreelError)) return error instanceof Error ? error.message : String(error);
  return error.requestId === null ? error.message : `${error.message}\nRequest ${error.requestId}`;
}
