import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import { didYouMean } from '#domain/lib/nearest-name.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { DEFAULT_WORK_DIR } from '../machine/work-dir.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingsResult =
  | { readonly ok: true; readonly environment: Environment }
  | { readonly ok: false; readonly message: string };

/**
 * Returns the environment over the settings file: `path`, or the one that `TICKREEL_CONFIG` names. A file has a
 * `NAME=value` a line, as systemd and Docker read them. Lines that are empty or begin with `#` are skipped, and a value
 * may be in quotes. An empty variable of the environment does not replace the file's.
 */
export function withSettingsFile(
  environment: Environment,
  path: string | undefined,
  read: (path: string) => string = (file) => readFileSync(file, 'utf8'),
): SettingsResult {
  const file = path ?? environment.TICKREEL_CONFIG;
  if (file === undefined || file === '') return { ok: true, environment };
  let text: string;
  try {
    text = read(file);
  } catch (error) {
    return { ok: false, message: `The settings file cannot be read: ${reasonOf(error)}.` };
  }
  const settings: Record<string, string> = {};
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, value] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    // The line is not shown, because it may contain a token.
    if (name === undefined || value === undefined) {
      return { ok: false, message: `${file}, line ${i + 1}: write a setting as NAME=value.` };
    }
    settings[name] = value.trim().replace(/^(["'])(.*)\1$/, '$2');
  }
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return { ok: true, environment: { ...settings, ...Object.fromEntries(set) } };
}

/** A wrong variable, and the rule that it breaks, as the rest of a sentence. */
export interface ConfigIssue {
  readonly variable: string;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** Returns what is wrong, in words for an operator. */
export function plainIssue(issue: Issue, environment: Environment): ConfigIssue {
  const variable = issue.path.join('.');
  const isMissing = issue.code === 'invalid_type' && environment[variable] === undefined;
  return { variable, message: isMissing ? 'is required' : ruleOf(issue) };
}

function ruleOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'must be a whole number' : `must be a ${issue.expected}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return issue.values.length > 2
        ? `must be one of ${issue.values.join(', ')}`
        : `must be ${issue.values.join(' or ')}`;
    default:
      return issue.message;
  }
}

/** Returns each issue as a sentence, with the value unless that is a secret. */
export function issueSentences(issues: readonly ConfigIssue[], environment: Environment): string {
  return issues
    .map(({ variable, message }) => {
      const value = /TOKEN|SECRET/.test(variable) ? undefined : environment[variable];
      return `${variable} ${message}${value === undefined ? '' : `; it is "${value}"`}.`;
    })
    .join('\n');
}

/** Settings of other programs of this project, which may share the environment. */
const OF_OTHERS: ReadonlySet<string> = new Set(['TICKREEL_CONFIG', 'TICKREEL_API_KEY', 'TICKREEL_ADMIN_TOKEN']);

/** Returns a sentence for each unknown `TICKREEL_…`, with the setting that was probably meant. */
export function unknownSettings(environment: Environment, known: readonly string[]): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('TICKREEL_') && !known.includes(name) && !OF_OTHERS.has(name))
    .map((name) => `${name} is no setting of a render host${didYouMean(name, known) || '.'}`);
}

/** Returns the file that `register` writes the host's token to. */
export function tokenFileOf({ TICKREEL_HOST_TOKEN_FILE: file, TICKREEL_WORK_DIR: workDir }: Environment): string {
  return file || join(workDir || DEFAULT_WORK_DIR, 'host-token');
}

/** Returns the environment with the token of this machine's registration, unless it has one itself. */
export function withStoredToken<T extends Environment>(environment: T): T {
  if (environment.TICKREEL_HOST_TOKEN) return environment;
  try {
    return { ...environment, TICKREEL_HOST_TOKEN: readFileSync(tokenFileOf(environment), 'utf8').trim() };
  } catch {
    return environment;
  }
}
