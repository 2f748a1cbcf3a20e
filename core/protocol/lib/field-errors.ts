import type * as z from 'zod';
import { didYouMean } from '#domain/lib/nearest-name.ts';
import type { FieldError } from './problem.ts';

/** Formats a path as a client would write it: `timeline[2].end_tick`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** The most unknown fields of an object that get a suggestion: each costs time, and more are no typing errors. */
const MOST_SUGGESTIONS = 20;

/** Returns every broken rule of a failed parse of a shape, one entry a field. Each unknown field has its own. */
export function fieldErrors(error: z.ZodError, shape: z.ZodType): FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const known = fieldNames(shape, issue.path);
      return issue.keys.map((key, i) => ({
        path: formatPath([...issue.path, key]),
        message: `is not a known field${i < MOST_SUGGESTIONS ? didYouMean(key, known) : ''}`,
      }));
    }
    return [{ path: formatPath(issue.path), message: issue.message }];
  });
}

type Shape = z.core.$ZodType;
/** The parts of the definition of an optional shape, an array and an object. */
type Inner = { innerType?: Shape; element?: Shape; shape?: Record<string, Shape> };

/** Returns the names of the fields of the object at a path of a shape; none for a union or a record. */
function fieldNames(shape: Shape, path: readonly PropertyKey[]): string[] {
  const { innerType, element, shape: fields = {} } = shape._zod.def as Inner;
  if (innerType) return fieldNames(innerType, path);
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(fields);
  const next = typeof key === 'number' ? element : fields[String(key)];
  return next ? fieldNames(next, rest) : [];
}
