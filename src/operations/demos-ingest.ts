import { invalidRequest, ProblemError } from '#http/problem.ts';
import { UPLOAD_SUMMARY } from '#protocol/examples.ts';
import { factsOf } from '#protocol/game-server-facts.ts';
import { IngestQuery, Upload } from '#protocol/uploads.ts';
import { receiveDemo } from '#render-gateway/receive-demo.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { advanceRuns } from '#service/rules/advance-runs.ts';
import { addUpload, OPEN_FOR, requireUploadRate } from '../uploads.ts';
import { uploadView } from './upload-view.ts';

/**
 * Stores a demo as game servers send it: MatchZy's UploadFileAsync and get5's UploadDemoToServer. Continues when the
 * client disconnects.
 */
export const ingestDemo = operation({
  route: 'POST /api/ingest',
  scope: 'account:ingest',
  repeatable: 'always',
  diskShare: 1,
  query: IngestQuery,
  answers: { 201: Upload, 200: Upload },
  handler: async (service, { caller, request, query, waitUntil, reply }) => {
    const { settings, now } = service;
    await requireUploadRate(service, caller);
    const { tag = null } = query();
    const { body, bytes } = sizedFile(request, settings.limits.ingestBytes);
    const facts = factsOf(request.headers);
    const upload = {
      ...{ id: crypto.randomUUID(), accountId: caller.accountId, keyId: caller.keyId, source: 'ingest' as const },
      ...{ name: facts?.file_name ?? 'demo', tag, facts, createdAt: now() },
      ...{ bytes, sha256: null, multipartId: null, expiresAt: now() + OPEN_FOR },
    };
    const refusal = await addUpload(service, caller, upload);
    if (refusal) throw refusal;
    const received = receiveDemo(service, { ...upload, parts: {}, completedAt: null }, body);
    waitUntil(received.then(({ id }) => advanceRuns(service, id)).catch(() => {}));
    const kept = await received;
    return reply(kept.id === upload.id ? 201 : 200, await uploadView(service, kept));
  },
});

const INGESTED = { tag: 'league', facts: { match_id: '1842', map_number: 0, round_number: 24 }, parts: [] };

export const words = (): Words => ({
  ingestDemo: {
    tag: 'Demos',
    summary: 'Send a demo from a game server',
    description:
      'Stores a demo that MatchZy or get5 sends: the body is the demo, plain or in an archive. A key of scope `ingest` is enough, as `Authorization: Bearer …` or as `X-Api-Key`. The headers `MatchZy-FileName`, `-MatchId`, `-MapNumber` and `-RoundNumber` (or `Get5-…`) become its `facts`. The same bytes are stored once: if they are sent again, missing `facts` are added, and none is replaced. A larger demo comes in parts, as `tickreel-relay` sends it.',
    body: { types: ['application/octet-stream'] },
    answers: {
      201: answer('The demo is stored.', { ...UPLOAD_SUMMARY, ...INGESTED, source: 'ingest' }),
      200: answer('The account has these bytes already.', { ...UPLOAD_SUMMARY, parts: [] }),
    },
    problems: ['length_required', 'limit_reached', 'upload_incomplete'],
  },
});

/** Returns the body with its length, which storage needs first. Throws a problem if it is empty or too long. */
function sizedFile({ body, headers }: Request, most: number): { body: ReadableStream<Uint8Array>; bytes: number } {
  const length = headers.get('Content-Length');
  if (body === null || length === '0') throw invalidRequest([{ path: '', message: 'must be a demo; it is empty' }]);
  if (length === null) throw new ProblemError('length_required', 'Send the demo with a Content-Length.');
  const bytes = Number(length);
  if (bytes <= most) return { body, bytes };
  const relay = 'Send a larger demo with tickreel-relay, which sends it in parts.';
  throw new ProblemError('body_too_large', `A demo in one request may have at most ${most} bytes. ${relay}`);
}
