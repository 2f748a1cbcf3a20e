import { type Result, refuse } from '../domain/result.ts';
import type { RenderJob } from '../durable-objects/render-job/render-job.ts';
import type { Service } from '../service/service.ts';

/** Asks the job that owns a clip, whichever of those that may own it says that the clip is its. */
export async function askOwner<Value>(
  { job, clipIds }: Pick<Service, 'job' | 'clipIds'>,
  clipId: string,
  ask: (owner: DurableObjectStub<RenderJob>) => Promise<Result<Value, 'not_found'>>,
): Promise<Result<Value, 'not_found'>> {
  for (const id of await clipIds.ownersOf(clipId)) {
    const answer = await ask(job(id));
    if (answer.ok) return answer;
  }
  return refuse('not_found');
}
