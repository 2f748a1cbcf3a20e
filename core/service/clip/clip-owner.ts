import type { Result } from '#domain/job/result.ts';
import type { RenderJobStub } from '#rpc/bindings.ts';
import type { Service } from '#service/lib/service.ts';

/** Calls the job that owns a clip. */
export async function askOwner<Value>(
  { job, clipIds }: Pick<Service, 'job' | 'clipIds'>,
  clipId: string,
  ask: (owner: RenderJobStub) => Promise<Result<Value, 'not_found'>>,
): Promise<Result<Value, 'not_found'>> {
  return ask(job(await clipIds.ownerOf(clipId)));
}
