import { reasonOf } from '#domain/reason.ts';
import { ProblemError } from '#http/problem.ts';
import { TransientError } from '#http/transient-error.ts';

/**
 * R2 has no such upload, or not the parts that are to become the file: NoSuchUpload, and both kinds of InvalidPart, by
 * its own numbers and as S3 says it.
 */
const NOT_THERE = /\((?:10024|10025|10048|NoSuchUpload|InvalidPart)\)/;

/**
 * One step of an upload. What storage does not know is 409: the host begins that upload anew. Whatever else storage
 * says is 503, and the host repeats the step: a file of gigabytes must not begin anew because of one bad moment.
 */
export async function orIncomplete<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const reason = reasonOf(error);
    if (NOT_THERE.test(reason)) throw new ProblemError('upload_incomplete', `Storage refused: ${reason}`);
    throw new TransientError('storage failed at a step of an upload', { cause: error });
  }
}
