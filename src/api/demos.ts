import { allows } from '#domain/account/account.ts';
import { cleanName } from '#domain/lib/text.ts';
import { accepted } from '#http/accepted.ts';
import { invalidRequest, ProblemError } from '#http/problem.ts';
import { TransientError } from '#http/to-problem.ts';
import { sha256Hex } from '#platform/digest.ts';
import { DemoFilter, filteredMatch } from '#protocol/demo/demo-filter.ts';
import { Demo, InspectRequest } from '#protocol/demo/demos.ts';
import { FaceitEvent, FaceitQuery, fileNameIn, readyDemo } from '#protocol/demo/faceit.ts';
import { factsOf, IngestQuery, Upload } from '#protocol/demo/uploads.ts';
import { DEMO, DEMO_ID, DEMO_REQUEST, PENDING_DEMO, UPLOAD_SUMMARY } from '#protocol/examples/client.ts';
import { href } from '#protocol/lib/routes.ts';
import { beginInspection, deleteInspection } from '#service/demo/inspect-demo.ts';
import { addUpload, keepArrival, makeWay, OPEN_FOR, receiveDemo } from '#service/demo/uploads.ts';
import { takeRate } from '#service/job/job-limits.ts';
import { answer, located, only, operation, type Words } from '#service/lib/operation.ts';
import { sizedBody } from '#service/lib/store-body.ts';
import { advanceRuns } from '#service/rule/advance-runs.ts';
import { findUploadOf, NO_PARTS } from '#storage/demo/uploads.ts';
import { uploadView } from './uploads.ts';

/** Inspects a demo. The id is computed from the address, so an account inspects each demo once. */
export const inspectDemo = operation({
  route: 'POST /api/demos',
  scope: 'account:submit',
  repeatable: 'always',
  diskShare: 1,
  body: InspectRequest,
  answers: { 202: Demo, 200: Demo },
  handler: async (service, { caller, requestId, body, reply }) => {
    await takeRate(service, caller, 'submits');
    const { demo_url, replay } = await body();
    if (replay && !allows(caller.scope, 'manage')) {
      throw new ProblemError(
        'forbidden',
        `A replay is published: this takes a key of scope manage, not ${caller.scope}.`,
      );
    }
    const demo = await beginInspection(service, { caller, requestId }, demo_url, replay);
    const Location = href(getDemo.route, { id: demo.id });
    return reply(demo.state === 'pending' ? 202 : 200, demo, { Location });
  },
});

/** Reads the inspection from its object. What the query leaves out is not sent. */
export const getDemo = operation({
  route: 'GET /api/demos/:id',
  scope: 'account:read',
  query: DemoFilter,
  answers: { 200: Demo },
  handler: async ({ job }, { caller, params, query, reply }) => {
    const filter = query();
    const demo = accepted(await job(params.id).readDemo(caller.accountId));
    const isFiltered = Object.keys(filter).length > 0;
    return reply(200, demo.match && isFiltered ? { ...demo, match: filteredMatch(demo.match, filter) } : demo);
  },
});

export const deleteDemo = operation({
  route: 'DELETE /api/demos/:id',
  scope: 'account:submit',
  answers: { 204: null },
  handler: async (service, { caller, params, reply }) => {
    await deleteInspection(service, caller, params.id);
    return reply(204, null);
  },
});

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
    const { limits, settings, now } = service;
    await limits.file_writes.take(caller.keyId);
    await takeRate(service, caller, 'uploads');
    const { tag = null } = query();
    const { body, bytes } = await sizedFile(request, settings.limits.ingest_mb * 1_000_000);
    const facts = factsOf(request.headers);
    const upload = {
      id: crypto.randomUUID(),
      accountId: caller.accountId,
      keyId: caller.keyId,
      source: 'ingest' as const,
      name: facts?.file_name ?? 'demo',
      tag,
      facts,
      createdAt: now(),
      bytes,
      sha256: null,
      multipartId: null,
      expiresAt: now() + OPEN_FOR,
    };
    const refusal = await addUpload(service, caller, upload);
    if (refusal) throw refusal;
    const received = receiveDemo(service, { ...upload, ...NO_PARTS }, body);
    waitUntil(received.then(({ id }) => advanceRuns(service, id)).catch(() => {}));
    const kept = await received;
    return reply(kept.id === upload.id ? 201 : 200, await uploadView(service, kept));
  },
});

/**
 * Takes a message of FACEIT's webhooks without a call to FACEIT. The upload of a demo has its address; hosts fetch it
 * through the gateway. The same match and file is one upload, however often FACEIT repeats the message.
 */
export const ingestFaceit = operation({
  route: 'POST /api/ingest/faceit',
  scope: 'account:ingest',
  repeatable: 'always',
  query: FaceitQuery,
  body: FaceitEvent,
  answers: { 200: null },
  handler: async (service, { caller, query, body, waitUntil, reply }) => {
    const { database, settings, now } = service;
    const { accountId, keyId } = caller;
    const { tag = null } = query();
    const { event, payload } = await body();
    if (event !== 'match_demo_ready') return reply(200, null);
    const ready = readyDemo(payload);
    if (ready === null) throw invalidRequest([{ path: 'payload', message: NOT_READY }]);
    if (settings.faceit === null) throw new ProblemError('unavailable', 'This service has no FACEIT_API_KEY.', LATER);
    await takeRate(service, caller, 'uploads');
    const name = cleanName(fileNameIn(ready.file), 200);
    const content = { bytes: 0, sha256: await sha256Hex(`${ready.match} ${name}`) };
    const find = () => findUploadOf(database, accountId, content);
    const known = await find();
    const isLive = known !== null && known.expiresAt > now();
    if (known && !isLive) await makeWay(service, known);
    const facts = { file_name: name, match_id: cleanName(ready.match, 100) };
    const sent = { accountId, keyId, source: 'faceit', name, tag, facts, multipartId: null } as const;
    const times = { createdAt: now(), expiresAt: now() + OPEN_FOR };
    const begun = { id: crypto.randomUUID(), ...sent, ...content, ...times, demoUrl: ready.file };
    const refusal = isLive ? null : await addUpload(service, caller, begun);
    const upload = await find();
    // FACEIT may have moved the file.
    const kept = upload && (await keepArrival(service, upload, { ...content, demoUrl: ready.file }));
    if (!kept) throw refusal ?? new TransientError('the upload was deleted meanwhile');
    waitUntil(advanceRuns(service, kept.id));
    return reply(200, null);
  },
});

const NOT_READY = "must have the `id` of a match, and a `demo_url` on FACEIT's hosts of demos";
const MATCH = '1-cb038819-b0d0-4471-b25c-0e7468ab1eb1';
const READY = { id: MATCH, demo_url: `https://demos.faceit.com/cs2/${MATCH}-1-1.dem.zst` };
const LATER = { headers: { 'Retry-After': '300' } };

const INGESTED = { tag: 'league', facts: { match_id: '1842', map_number: 0, round_number: 24 }, parts: [] };

/** Returns the body with its length, which storage needs first. Throws a problem if it is empty or too long. */
function sizedFile(request: Request, most: number): ReturnType<typeof sizedBody> {
  const length = request.headers.get('Content-Length');
  if (request.body === null || length === '0')
    throw invalidRequest([{ path: '', message: 'must be a demo; it is empty' }]);
  if (length === null) throw new ProblemError('length_required', 'Send the demo with a Content-Length.');
  const bytes = Number(length);
  if (bytes <= most) return sizedBody(request, most);
  const relay = 'Send a larger demo with tickreel-relay, which sends it in parts.';
  throw new ProblemError('body_too_large', `A demo in one request may have at most ${most} bytes. ${relay}`);
}

export const words = (): Words => ({
  inspectDemo: {
    summary: 'Inspect a demo',
    description: [
      "A render host reads the demo and reports what is in it: players, rounds, kills, and highlights, each with the body of a submit that makes a clip of it. Inspections go before best-effort renders, but get at most a quarter of the assigned jobs while renders wait. They are not metered; their host time counts towards the account's unbilled minutes of the day. Read the demo until its `state` is no longer `pending`.",
      'With `replay`, which takes a key of scope `manage`, the demo can also be played from above at `replay_url`, and `POST /api/jobs/:id/replay` publishes the same for the ticks of a clip. A demo that was read without it is read again.',
      'An address is read once: for 7 days the answer is what was found. If an older `reader` found it more than an hour ago, the demo is read again, once for each new reader; what was found stays until then, and if that fails. A demo that could not be read is tried again. A link that answers 401, 403, 404 or 410 fails at once.',
    ].join('\n\n'),
    body: { examples: only(DEMO_REQUEST) },
    answers: {
      202: answer(
        'The demo is being read.',
        PENDING_DEMO,
        located("Address of the demo's inspection.", `/api/demos/${DEMO_ID}`),
      ),
      200: answer(
        'The demo was read before, or its address is not accepted.',
        DEMO,
        located("Address of the demo's inspection.", `/api/demos/${DEMO_ID}`),
      ),
    },
    problems: ['limit_reached'],
  },
  getDemo: {
    summary: 'Read what is in a demo',
    description:
      'While it is `pending`, ask again after a second or two. The query narrows `kills` and `highlights`; players and rounds stay. With `best_of` and, say, `team=CT`, it writes the timeline of the best moments of a whole team, ready to submit.',
    answers: {
      200: {
        description: 'The demo and its contents.',
        examples: {
          ready: { summary: 'What was found', value: DEMO },
          pending: { summary: 'Not read yet', value: PENDING_DEMO },
        },
      },
    },
  },
  deleteDemo: {
    summary: 'Delete an inspection',
    description:
      'Deletes what was found in a demo, and its replay, at once. Ends an inspection that is under way. The demo itself stays, and so do its clips with their replays. A later request inspects the demo again.',
    answers: { 204: { description: 'The inspection and its replay are deleted.' } },
  },
  ingestDemo: {
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
  ingestFaceit: {
    summary: 'Take a webhook of FACEIT',
    description:
      'Takes the event `match_demo_ready`, and answers 200 to all others. The demo becomes an upload with `source` `faceit`, whose file stays with FACEIT: rules act on it, and hosts fetch it through the service, which needs `FACEIT_API_KEY`. The same match and file is one upload. A key of scope `ingest` is enough, in a header as for `POST /api/ingest`, or as `key` in the query.',
    body: { examples: only({ event: 'match_demo_ready', payload: READY }) },
    answers: { 200: { description: 'The demo has arrived, or the event is ignored.' } },
    problems: ['limit_reached', 'unavailable'],
  },
});
