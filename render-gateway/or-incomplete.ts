import { reasonOf } from '#domain/reason.ts';
import { ProblemError } from '#http/problem.ts';
import { TransientError } from '#http/transient-error.ts';

/** R2 does not have the upload or its parts: NoSuchUpload and both kinds of InvalidPart. */
const NOT_THERE = /\((?:10024|10025|10048)\)/;

/**
 * Runs one step of an upload. If storage does not have the upload, throws 409, and the host begins it again. For other
 * errors of storage, throws 503, and the host repeats the step only: a file of gigabytes is not sent again.
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
