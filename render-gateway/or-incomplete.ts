import { reasonOf } from '../domain/reason.ts';
import { ProblemError } from '../http/problem.ts';

/** Storage refuses an upload it does not know, or parts it never got; the host begins that upload anew. */
export async function orIncomplete<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new ProblemError('upload_incomplete', `Storage refused: ${reasonOf(error)}`);
  }
}
