import type * as z from 'zod';
import type { FieldError } from './problem.ts';

/** Formats a path as a client would write it: `timeline[2].end_tick`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** Returns every broken rule of a failed parse, one entry a field. Each unknown field has its own. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: formatPath([...issue.path, key]), message: 'is not a known field' }));
    }
    return [{ path: formatPath(issue.path), message: issue.message }];
  });
}
