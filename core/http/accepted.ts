import type { Result } from '#domain/result.ts';
import { notFound, type ProblemError } from './problem.ts';

/** What is wrong this time, for each refusal that does not speak for itself. */
type Details<Refusal extends string> = { readonly [R in Exclude<Refusal, 'not_found'>]: () => ProblemError };

/** The value of an object's answer. Throws the refusal as a problem. */
export function accepted<Value, Refusal extends string>(
  result: Result<Value, Refusal>,
  ...[details]: [Exclude<Refusal, 'not_found'>] extends [never] ? [] : [details: Details<Refusal>]
): Value {
  if (result.ok) return result.value;
  const refusals: Readonly<Record<string, () => ProblemError>> = details ?? {};
  throw (refusals[result.refusal] ?? notFound)();
}
