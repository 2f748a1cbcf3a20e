import type { AddressPolicy } from '../../domain/address-policy.ts';
import { jobIdIn } from '../../domain/home-database.ts';
import { uuidFromBytes } from '../../domain/ids.ts';
import { json } from '../../http/json.ts';
import { invalidRequest } from '../../http/problem.ts';
import { limitReached, rateLimited } from '../../http/rate-limit.ts';
import { readJson } from '../../http/read-body.ts';
import { hmacSha256 } from '../../platform/digest.ts';
import { isCallableUrl } from '../../protocol/demo-url.ts';
import type { FieldError } from '../../protocol/problem.ts';
import { parseSubmit } from '../../protocol/submit.ts';
import { findAsset } from '../../storage/assets.ts';
import type { Database } from '../../storage/database.ts';
import { requireUploadedDemo } from '../uploads.ts';
import type { ApiHandler } from './api-handler.ts';

/**
 * `POST /api/clips` (contract 4.1). With an idempotency key the job's id is computed from it, so every request with
 * that key reaches the same object, which decides alone whether this is a new job, a replay or a redo. Whatever the key
 * says, the body is checked first: an invalid request claims nothing.
 */
export const submitClip: ApiHandler<'job' | 'clipIds' | 'databases' | 'limits' | 'settings' | 'now'> = async (
  service,
  { caller, request, requestId, waitUntil },
) => {
  const { job, clipIds, databases, limits, settings } = service;
  const wait = limits.submits.waitOf(caller.accountId);
  if (wait > 0) throw rateLimited(limits.submits.policy, wait);
  // What the platform's count comes to is for the requests after this one: nobody waits for it.
  waitUntil(limits.submits.count(caller.accountId));
  if (caller.unfinished >= settings.limits.jobs) {
    throw limitReached(`${settings.limits.jobs} jobs of this account have not finished yet; no more can wait.`);
  }
  const { value, opaque } = await readJson(request, 'extras');
  const parsed = parseSubmit(value, opaque);
  const errors = [...(parsed.ok ? [] : parsed.errors), ...webhookErrors(value, settings)];
  if (!parsed.ok || errors.length > 0) throw invalidRequest(errors);
  await requireWatermark(databases.of(caller.database), caller.accountId, parsed.request.watermark_image_id);
  await requireUploadedDemo(service, caller, parsed.request.demo_url);
  const key = parsed.request.idempotency_key;
  const made = key === undefined ? crypto.randomUUID() : await jobIdOfKey(caller.idSalt, key);
  const jobId = jobIdIn(caller.database, made);
  const outcome = await job(jobId).submit({
    jobId,
    accountId: caller.accountId,
    clipId: await clipIds.clipIdOf(jobId),
    database: caller.database,
    priority: caller.keyKind === 'reserved',
    request: parsed.request,
    requestId,
    asks: { renderer: caller.renderer, labels: caller.labels },
  });
  if (outcome === 'created') caller.unfinished++;
  return json({ job_id: jobId }, outcome === 'created' ? 201 : 200);
};

/** What is wrong with where the webhook would go; of a text that is no URL, its own rule speaks. */
function webhookErrors(body: unknown, policy: AddressPolicy): FieldError[] {
  const url = typeof body === 'object' && body !== null && 'webhook_url' in body ? body.webhook_url : null;
  if (typeof url !== 'string' || !URL.canParse(url) || isCallableUrl(url, policy)) return [];
  const message = 'must lie on a public host that is not this service, on a port for the web or from 1024 on';
  return [{ path: 'webhook_url', message }];
}

/** Throws a 400 problem unless the id, if there is one, is of a watermark of the account's own. */
async function requireWatermark(database: Database, accountId: string, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const asset = await findAsset(database, accountId, id);
  if (asset?.kind === 'watermark') return;
  const message = asset
    ? `must be the UUID of a watermark; it is of an ${asset.kind}`
    : 'must be the UUID of one of your watermarks';
  throw invalidRequest([{ path: 'watermark_image_id', message }]);
}

/** HMAC-SHA-256 of the key under the account's own salt: keys of two accounts never meet. */
export async function jobIdOfKey(saltHex: string, key: string): Promise<string> {
  const salt = Uint8Array.from(saltHex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return uuidFromBytes(await hmacSha256(salt)(key), 8);
}
