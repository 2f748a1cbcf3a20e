import type { StoredFile } from '../domain/clip.ts';
import { clipFileKey } from '../domain/storage-keys.ts';
import { type Bindings, renderJobOf } from '../durable-objects/bindings.ts';
import { noContent } from '../http/json.ts';
import { ProblemError } from '../http/problem.ts';
import { readShape } from '../http/read-body.ts';
import { CompleteRequest, FailRequest, HeartbeatRequest, ReleaseRequest } from '../protocol/gateway.ts';
import { staleLease } from './lease.ts';

export async function heartbeat(env: Bindings, hostId: string, jobId: string, request: Request): Promise<Response> {
  const { fence, phase, progress } = await readShape(request, HeartbeatRequest);
  if (!(await renderJobOf(env, jobId).heartbeat(hostId, fence, phase, progress))) throw staleLease();
  return noContent();
}

/** The clip is rendered and uploaded. Both files must be there in the size that the host announces. */
export async function complete(env: Bindings, hostId: string, jobId: string, request: Request): Promise<Response> {
  const { fence, title, facts, duration_seconds, video, thumbnail } = await readShape(request, CompleteRequest);
  const result = {
    title,
    facts,
    durationSeconds: duration_seconds,
    video: { key: clipFileKey(jobId, fence, 'video'), ...video },
    thumbnail: { key: clipFileKey(jobId, fence, 'thumbnail'), ...thumbnail },
  };
  await Promise.all([requireStored(env, result.video), requireStored(env, result.thumbnail)]);
  if (!(await renderJobOf(env, jobId).complete(hostId, fence, result))) throw staleLease();
  return noContent();
}

export async function fail(env: Bindings, hostId: string, jobId: string, request: Request): Promise<Response> {
  const { fence, code, detail } = await readShape(request, FailRequest);
  if (!(await renderJobOf(env, jobId).fail(hostId, fence, code, detail))) throw staleLease();
  return noContent();
}

/** A host that stops hands its job back unharmed. */
export async function release(env: Bindings, hostId: string, jobId: string, request: Request): Promise<Response> {
  const { fence } = await readShape(request, ReleaseRequest);
  if (!(await renderJobOf(env, jobId).release(hostId, fence))) throw staleLease();
  return noContent();
}

async function requireStored(env: Bindings, file: StoredFile): Promise<void> {
  const object = await env.CLIPS.head(file.key);
  if (object?.size !== file.bytes) {
    const found = object ? `has ${object.size} bytes` : 'is not there';
    throw new ProblemError('upload_incomplete', `${file.key} ${found}, announced were ${file.bytes} bytes.`);
  }
}
