import type * as z from 'zod';
import { didYouMean } from '#domain/nearest-name.ts';
import type { Environment } from './settings-file.ts';

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
