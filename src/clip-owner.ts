import type { Result } from '#domain/result.ts';
import type { RenderJob } from '#durable-objects/render-job/render-job.ts';
import type { Service } from '#service/service.ts';

/** Asks the job that owns a clip. */
export async function askOwner<Value>(
  { job, clipIds }: Pick<Service, 'job' | 'clipIds'>,
  clipId: string,
  ask: (owner: DurableObjectStub<RenderJob>) => Promise<Result<Value, 'not_found'>>,
): Promise<Result<Value, 'not_found'>> {
  return ask(job(await clipIds.ownerOf(clipId)));
}
