import type { AttemptFailure } from '#domain/job-event.ts';
import { reasonOf } from '#domain/reason.ts';
import { accepted } from '#http/accepted.ts';
import { noContent } from '#http/json.ts';
import { invalidRequest, ProblemError } from '#http/problem.ts';
import { isAcceptableDemoUrl } from '#protocol/demo-url.ts';
import { ResolvedRequest } from '#protocol/gateway.ts';
import { type OperationWords, only, operation } from '#service/operation.ts';
import type { Service } from '#service/service.ts';
import type { UploadRow } from '#storage/schema.ts';
import { findUpload } from '#storage/uploads.ts';
import { requireLease } from './lease.ts';
import { receiveDemo } from './receive-demo.ts';

/** Limits of a download. A resolver waits for it, and Node.js waits five minutes for an answer. */
const [MOST_BYTES, MOST_MS] = [1024 ** 3, 4 * 60_000];

/** Stores the replay of a match, and queues its inspection. */
export const jobResolved = operation({
  route: 'POST /gateway/v1/jobs/:id/resolved',
  scope: 'host:resolver',
  diskShare: 1,
  body: ResolvedRequest,
  handler: async (service, { caller: { id: hostId }, params, requestId, body }) => {
    const { fence, url } = await body();
    const { blocked } = await service.controls.read();
    if (!isAcceptableDemoUrl(url, { ...service.settings, acceptedDomains: ['valve.net'], blocked })) {
      throw invalidRequest([{ path: 'url', message: 'is blocked by the operator' }]);
    }
    const holder = { hostId, fence, requestId };
    const { upload } = await requireLease(service, params.id, holder);
    const row = upload && (await findUpload(service.database, upload.accountId, upload.id));
    const failure = row?.completedAt ? null : await storeReplay(service, row, url);
    const job = service.job(params.id);
    accepted(failure ? await job.fail({ ...holder, ...failure }) : await job.resolved(holder));
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'Report where a replay is',
  description:
    'The service downloads the replay and stores it, which takes as long as the file, and queues the inspection. If Valve no longer has it, the job fails. Send heartbeats meanwhile. Repeating it changes nothing.',
  body: { examples: only({ fence: 1, url: 'http://replay131.valve.net/730/3230642215713767580_179118028.dem.bz2' }) },
  answers: { 204: { description: 'The replay is stored, or the job has failed.' } },
  problems: ['stale_lease'],
});

/** Stores a replay as its upload. Returns why that failed. Follows no redirect. Storage needs the length of a file. */
async function storeReplay(
  service: Service,
  upload: UploadRow | null,
  url: string,
): Promise<Pick<AttemptFailure, 'code' | 'detail' | 'facts'> | null> {
  if (upload === null) return { code: 'demo_404', detail: 'the upload was deleted' };
  const { replayOrigin } = service.settings;
  try {
    const from = replayOrigin === null ? url : replayOrigin + new URL(url).pathname;
    const signal = AbortSignal.timeout(MOST_MS);
    const { status, body, headers } = await fetch(from, { redirect: 'manual', signal });
    const bytes = Number(headers.get('Content-Length'));
    if (status === 200 && body !== null && bytes > 0 && bytes <= MOST_BYTES) {
      await receiveDemo(service, { ...upload, bytes }, body);
      return null;
    }
    await body?.cancel();
    const code = status === 404 || status === 410 ? 'replay_expired' : 'download_error';
    return { code, detail: `${url} answered ${status} with a length of ${bytes}`, facts: { http_status: status } };
  } catch (error) {
    const kind = error instanceof ProblemError ? error.kind : null;
    const code =
      kind === 'invalid_request' ? 'demo_failed_parse' : kind === 'not_found' ? 'demo_404' : 'download_error';
    return { code, detail: `${url}: ${reasonOf(error)}` };
  }
}
