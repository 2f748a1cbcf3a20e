import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import type { Demo } from '#protocol/demos.ts';
import { FOUND_DEMO } from '#protocol/examples.ts';
import type { Grant } from '#protocol/gateway.ts';
import { PROBLEMS } from '#protocol/problem.ts';
import type { Upload } from '#protocol/uploads.ts';
import { createService } from '#service/service.ts';
import { createRoutes } from '#src/routes.ts';
import gateway from '#src/static/openapi/gateway.json';
import operator from '#src/static/openapi/operator.json';
import document from '#src/static/openapi.json';
import { writeTracks } from '#tracks/file.ts';
import { buildMatch } from '../packages/render-host/builders.ts';
import { createDescribedService, OPERATIONS } from '../support/described.ts';
import { keepEarlierState } from '../support/earlier-state.ts';
import { PICTURES } from '../support/pictures.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, roundRequest, send } from '../support/service.ts';
import { THUMBNAIL, VIDEO } from '../support/test-host.ts';
import { createInbox } from '../support/webhooks.ts';

const UNKNOWN = { id: crypto.randomUUID() };
const service = createDescribedService();

async function answerOf<T>(response: Promise<Response>): Promise<T> {
  return (await response).json<T>();
}

/** Uploads a file of a granted job and returns it as a report has it. */
async function sendFile(
  token: string,
  { job_id, lease: { fence } }: Grant,
  file: string,
  bytes: Uint8Array<ArrayBuffer>,
) {
  const report = { token, params: { id: job_id } };
  const sha256 = await sha256Hex(bytes);
  const begun = await service.call('beginUpload', { ...report, json: { fence, file } });
  const { upload_id } = await begun.json<{ upload_id: string }>();
  const query = { fence: String(fence), file, upload_id, part: '1', sha256 };
  const part = await answerOf(service.call('uploadPart', { ...report, query, bytes }));
  await service.call('endUpload', { ...report, json: { fence, file, upload_id, parts: [part] } });
  return { bytes: bytes.byteLength, sha256 };
}

/** Uploads both files of a granted job and completes it. */
async function finish(token: string, grant: Grant): Promise<Response> {
  const { job_id, lease } = grant;
  const { fence } = lease;
  const report = { token, params: { id: job_id } };
  const completion: Record<string, unknown> = { fence, title: '3 kills by Ferris on Nuke', duration_seconds: 14.5 };
  for (const [file, bytes] of Object.entries({ video: VIDEO, thumbnail: THUMBNAIL, storyboard: THUMBNAIL })) {
    const board = file === 'storyboard' ? { columns: 6, rows: 4, interval_seconds: 0.5 } : {};
    completion[file] = { ...(await sendFile(token, grant, file, bytes)), ...board };
  }
  return service.call('completeJob', { ...report, json: completion });
}

describe('the running service answers as the document says', () => {
  it('to the operator', async () => {
    const operator = { token: ADMIN_TOKEN };
    const { account_id: id } = await answerOf<{ account_id: string }>(
      service.call('createAccount', { ...operator, json: { name: 'Example', provisioned_slots: 4 } }),
    );
    await service.call('listAccounts', operator);
    await service.call('getAccount', { ...operator, params: { id } });
    await service.call('changeAccount', { ...operator, params: { id }, json: { provisioned_slots: null } });
    expect((await service.call('eraseAccount', { ...operator, params: { id }, json: { name: 'x' } })).status).toBe(400);
    const newKey = { ...operator, params: { id }, json: { kind: 'reserved' } };
    const { key_id: key } = await answerOf<{ key_id: string }>(service.call('createKey', newKey));
    await service.call('listKeys', { ...operator, params: { id } });
    await service.call('listAccountRules', { ...operator, params: { id } });
    await service.call('cancelAccount', { ...operator, params: { id } });
    await service.call('rotateKey', { ...operator, params: { id, key } });
    await service.call('revokeKey', { ...operator, params: { id, key } });
    const { host_id } = await answerOf<{ host_id: string }>(
      service.call('createHost', { ...operator, json: { name: 'host 1' } }),
    );
    const capabilities = { renderer: 'radar', max_resolution: 1080, max_fps: 60, game_build: null };
    const push = { url: createInbox('503:3600').url, slots: 1, capabilities };
    const { host_id: called } = await answerOf<{ host_id: string }>(
      service.call('createHost', { ...operator, json: { name: 'host 2', push } }),
    );
    await service.call('listHosts', operator);
    await service.call('trustBuild', { ...operator, params: { build: '1.41.6.0' } });
    await service.call('listBuilds', operator);
    await service.call('forgetBuild', { ...operator, params: { build: '1.41.6.0' } });
    const headers = { 'CF-Access-Client-Id': 'an-id' };
    await service.call('setHostHeaders', { ...operator, params: { id: called }, json: { headers } });
    await service.call('rotateHost', { ...operator, params: { id: called } });
    await service.call('revokeHost', { ...operator, params: { id: called } });
    const host = { ...operator, params: { id: host_id } };
    await service.call('getHost', host);
    await service.call('changeHost', { ...host, json: { hold: 'paused', note: 'a new driver', labels: ['eu'] } });
    const { registration_id, token } = await answerOf<{ registration_id: string; token: string }>(
      service.call('createRegistration', { ...operator, json: { name: 'rack 4', uses: 1 } }),
    );
    await service.call('listRegistrations', operator);
    await service.call('registerHost', { token, json: { name: 'gpu-17' } });
    expect((await service.call('registerHost', { token, json: { name: 'gpu-18' } })).status).toBe(401);
    const ada = { ...operator, json: { name: 'Ada', role: 'read' } };
    const { operator_id, token: adas } = await answerOf<{ operator_id: string; token: string }>(
      service.call('createOperator', ada),
    );
    expect((await service.call('createOperator', { ...ada, token: adas })).status).toBe(403);
    for (const operation of [
      'listOperators',
      'getOverview',
      'watchOverview',
      'getSession',
      'endSession',
      'listAllJobs',
      'listTroubles',
      'listAudit',
      'listUsage',
    ]) {
      await service.call(operation, { token: adas });
    }
    await service.call('searchAll', { token: adas, query: { q: 'host 1' } });
    await service.call('listUsage', { token: adas, query: { format: 'csv' } });
    expect((await service.call('beginSession', { token: adas })).status).toBe(403);
    await service.call('beginSession', { token: adas, origin: BASE_URL });
    expect((await service.call('getMetrics', { token: adas })).status).toBe(401);
    await service.call('getMetrics', { token: 'a-token-for-scraping' });
    await service.call('testAlerts', operator);
    await service.call('revokeOperator', { ...operator, params: { id: operator_id } });
    await service.call('revokeRegistration', { ...operator, params: { id: registration_id } });
    await service.call('rotateHost', { ...operator, params: { id: host_id } });
    await service.call('revokeHost', { ...operator, params: { id: host_id } });

    await service.call('exportAccount', { ...operator, params: { id } });
    const { key: owned } = await answerOf<{ key: string }>(
      service.call('createKey', { ...newKey, json: { kind: 'metered' } }),
    );
    const image = { token: owned, query: { kind: 'outro' }, bytes: PICTURES.png, contentType: 'image/png' };
    const { id: file } = await answerOf<{ id: string }>(service.call('uploadAsset', image));
    await service.call('getAccountFile', { ...operator, params: { id, file } });
    await service.call('eraseAccount', { ...operator, params: { id }, json: { name: 'Example' } });
    expect((await service.call('listHosts')).status).toBe(401);
    expect((await service.call('listBuilds')).status).toBe(401);
    expect((await service.call('listKeys', { ...operator, params: UNKNOWN })).status).toBe(404);
    expect((await service.call('listAccountRules', { ...operator, params: UNKNOWN })).status).toBe(404);
    expect((await service.call('createKey', { ...newKey, json: { kind: 'gold' } })).status).toBe(400);
  });

  it('to a client and a render host, from an upload to a deleted clip', async () => {
    const operator = { token: ADMIN_TOKEN };
    const { account_id } = await answerOf<{ account_id: string }>(
      service.call('createAccount', { ...operator, json: { name: 'Example' } }),
    );
    const { key } = await answerOf<{ key: string }>(
      service.call('createKey', { ...operator, params: { id: account_id }, json: { kind: 'metered' } }),
    );
    const { token } = await answerOf<{ token: string }>(
      service.call('createHost', { ...operator, json: { name: 'host 1' } }),
    );
    const client = { token: key };
    const host = { token };

    const capabilities = {
      renderer: 'radar',
      max_resolution: 1440,
      max_fps: 120,
      game_build: null,
      agent_version: '1.0.0',
    };

    const upload = { ...client, query: { kind: 'watermark', name: 'logo' }, bytes: PICTURES.png };
    const asset = await answerOf<{ id: string }>(service.call('uploadAsset', { ...upload, contentType: 'image/png' }));
    expect((await service.call('uploadAsset', { ...upload, contentType: 'image/gif' })).status).toBe(415);
    await service.call('listAssets', client);
    await service.call('getAsset', { ...client, params: { id: asset.id } });

    await service.call('changeViewing', {
      ...client,
      json: { embed_sites: ['example.com'], show_views: true, show_more: true },
    });
    expect((await service.call('changeViewing', { ...client, json: { embed_sites: ['a b'] } })).status).toBe(400);
    const inspection = { ...client, json: { demo_url: 'https://demos.example.com/described.dem', replay: true } };
    const looked = await answerOf<{ id: string }>(service.call('inspectDemo', inspection));
    const reader = { capabilities: { ...capabilities, skills: ['inspect', 'tracks'] }, wait_s: 20 };
    const toRead = await answerOf<Grant>(service.call('claimJob', { ...host, json: reader }));
    const tracks = await sendFile(token, toRead, 'tracks', await writeTracks(buildMatch(), []));
    const read = { fence: toRead.lease.fence, demo: FOUND_DEMO, tracks };
    await service.call('jobInspected', { ...host, params: { id: looked.id }, json: read });
    expect((await service.call('inspectDemo', inspection)).status).toBe(200);
    const { replay_url } = await answerOf<Demo>(service.call('getDemo', { ...client, params: { id: looked.id } }));
    const replay = { params: { id: replay_url?.split('/').at(-1) ?? '' } };
    for (const operation of ['replayPage', 'replayEmbed', 'replayTracks']) {
      expect((await service.call(operation, replay)).status).toBe(200);
      expect((await service.call(operation, { params: UNKNOWN })).status).toBe(404);
    }
    for (const name of ['replay.js', 'text-latin.woff2']) {
      expect((await service.call('playerFile', { params: { name } })).status).toBe(200);
    }
    expect((await service.call('playerFile', { params: { name: 'x' } })).status).toBe(404);
    const planned = { demo_url: inspection.json.demo_url, steam64_id: FOUND_DEMO.players[0]?.steam64_id, round: 7 };
    expect((await service.call('planClip', { ...client, json: planned })).status).toBe(200);
    expect((await service.call('planClip', { ...client, json: { ...planned, round: 8 } })).status).toBe(422);
    expect((await service.call('planClip', { ...client, json: { ...planned, round: 0 } })).status).toBe(400);
    expect((await service.call('planClip', { ...client, json: roundRequest() })).status).toBe(409);

    const rule = { name: 'all', render: { what: 'highlights' }, when: { sources: ['ingest'] } };
    const { id: ruleId } = await answerOf<{ id: string }>(service.call('createRule', { ...client, json: rule }));
    expect((await service.call('createRule', { ...client, json: { name: '' } })).status).toBe(400);
    const ofRule = { ...client, params: { id: ruleId } };
    expect((await service.call('tryRule', { ...ofRule, json: { demo_url: planned.demo_url } })).status).toBe(200);
    await service.call('changeRule', { ...ofRule, json: { enabled: false } });
    for (const operation of ['listRules', 'getRule', 'deleteRule']) await service.call(operation, ofRule);
    expect((await service.call('getRule', ofRule)).status).toBe(404);

    const demo = new Uint8Array(1000).fill(7);
    const wanted = { ...client, json: { name: 'a.dem', bytes: demo.length, sha256: await sha256Hex(demo) } };
    const begun = await answerOf<Upload>(service.call('createUpload', wanted));
    const uploaded = { ...client, params: { id: begun.id } };
    expect((await service.call('completeUpload', uploaded)).status).toBe(409);
    await service.call('sendUploadPart', { ...uploaded, query: { part: '1' }, bytes: demo });
    for (const operation of ['completeUpload', 'getUpload']) await service.call(operation, uploaded);
    await service.call('listUploads', client);
    expect((await service.call('createUpload', wanted)).status).toBe(200);
    const ingested = { ...client, query: { tag: 'league' }, bytes: new TextEncoder().encode('PBDEMS2\0described') };
    for (const status of [201, 200]) expect((await service.call('ingestDemo', ingested)).status).toBe(status);
    expect((await service.call('ingestDemo', { ...ingested, bytes: demo })).status).toBe(400);

    const request = roundRequest({
      round: 7,
      extras: { match: 1842 },
      idempotency_key: 'match-1842',
      watermark_image_id: asset.id,
      webhook_url: createInbox().url,
      webhook_auth_header: 'Bearer my-own-secret',
    });
    expect((await service.call('submitClip', { ...client, json: { round: 0, force: true } })).status).toBe(400);
    expect((await service.call('submitClip', { ...client, json: request })).status).toBe(201);
    const batch = { defaults: request, clips: [{ round: 1 }] };
    expect((await service.call('submitBatch', { ...client, json: batch })).status).toBe(400);
    expect((await service.call('submitBatch', { ...client, json: { clips: [request] } })).status).toBe(200);
    const again = service.call('submitClip', { ...client, json: request });
    const { job_id: id } = await answerOf<{ job_id: string }>(again);
    const job = { ...client, params: { id } };
    expect((await service.call('resubmitJob', job)).status).toBe(409);
    expect((await service.call('resendWebhook', job)).status).toBe(409);

    const claim = { ...host, json: { capabilities, wait_s: 20 } };
    const granted = await answerOf<Grant>(service.call('claimJob', claim));
    const { fence } = granted.lease;
    const report = { ...host, params: { id } };
    await service.call('heartbeat', { ...report, json: { fence, phase: 'render', progress: 0.5 } });
    const stale = { ...report, json: { fence: fence + 1, phase: 'render', progress: 0.5 } };
    expect((await service.call('heartbeat', stale)).status).toBe(409);
    await service.call('fetchAsset', { ...report, params: { id, use: 'watermark' }, query: { fence: String(fence) } });
    expect((await finish(token, granted)).status).toBe(204);

    const { clip_id } = await answerOf<{ clip_id: string }>(service.call('getJob', job));
    const clip = { ...client, params: { id: clip_id } };
    for (const operation of ['getClip', 'saveClip', 'unsaveClip', 'getClipViews']) await service.call(operation, clip);
    for (const operation of ['listJobs', 'listClips', 'getUsage', 'getViewing']) await service.call(operation, client);
    const { id: secret } = await answerOf<{ id: string }>(service.call('createWebhookSecret', client));
    await service.call('createWebhookSecret', client);
    expect((await service.call('createWebhookSecret', client)).status).toBe(429);
    await service.call('listWebhookSecrets', client);
    await service.call('testWebhook', { ...client, json: { webhook_url: createInbox().url } });
    expect((await service.call('testWebhook', { ...client, json: { webhook_url: BASE_URL } })).status).toBe(400);
    await service.call('deleteWebhookSecret', { ...client, params: { id: secret } });
    const newKey = { ...client, json: { kind: 'metered', scope: 'ingest', ingest_limits: { demos: 4 } } };
    const { key_id: made } = await answerOf<{ key_id: string }>(service.call('createOwnKey', newKey));
    await service.call('createOwnKey', newKey);
    expect((await service.call('createOwnKey', newKey)).status).toBe(429);
    expect((await service.call('createOwnKey', { ...client, json: { kind: 'reserved' } })).status).toBe(400);
    await service.call('listOwnKeys', client);
    await service.call('revokeOwnKey', { ...client, params: { id: made }, query: { keep_made: 'true' } });
    expect((await service.call('revokeOwnKey', { ...client, params: UNKNOWN })).status).toBe(404);
    await service.call('getUsage', { ...client, query: { include: 'renderer,day' } });
    const everything = { ...client, lastEventId: `0_${UNKNOWN.id}` };
    await (await service.call('watchEvents', everything)).body?.cancel();
    expect((await service.call('watchEvents', { ...client, lastEventId: 'x' })).status).toBe(400);
    for (const operation of ['watchJob', 'resendWebhook', 'listDeliveries']) await service.call(operation, job);
    for (const operation of ['clipPage', 'clipEmbed', 'clipVideo', 'clipThumbnail', 'clipStoryboard']) {
      expect((await service.call(operation, { params: { id: clip_id } })).status).toBe(200);
      for (const accept of ['text/html', 'application/json', '*/*']) {
        expect((await service.call(operation, { params: UNKNOWN, accept })).status).toBe(404);
      }
    }
    expect((await service.call('countView', { params: { id: clip_id } })).status).toBe(204);
    expect((await service.call('countView', { params: UNKNOWN })).status).toBe(404);
    expect((await service.call('shownViews', { params: { id: clip_id } })).status).toBe(200);
    expect((await service.call('shownViews', { params: UNKNOWN })).status).toBe(404);
    expect((await service.call('moreClips', { params: { id: clip_id } })).status).toBe(200);
    expect((await service.call('moreClips', { params: UNKNOWN })).status).toBe(404);
    const page = `${BASE_URL}/clips/${clip_id}`;
    await service.call('oembed', { query: { url: page, format: 'xml', maxwidth: '640' } });
    expect((await service.call('oembed', { query: { url: BASE_URL } })).status).toBe(404);
    expect((await service.call('oembed', { query: { url: page, format: 'yaml' } })).status).toBe(501);
    for (const operation of [
      'landing',
      'sampleStill',
      'robots',
      'buildsPage',
      'health',
      'openApi',
      'gatewayOpenApi',
      'operatorOpenApi',
      'docs',
      'reference',
      'referenceScript',
      'problemDocs',
      'llms',
      'studio',
      'consolePage',
    ])
      await service.call(operation);
    await service.call('errorDocs', { params: { code: 'no_kills_found' } });
    expect((await service.call('errorDocs', { params: { code: 'toString' } })).status).toBe(404);

    await service.call('getJobStory', { ...operator, params: { id } });
    await service.call('resendTroubles', { ...operator, json: { job_ids: [id] } });
    await service.call('resubmitJobs', { ...operator, json: { job_ids: [id], status: 'done', dry_run: true } });
    await service.call('checkClips', { ...operator, json: {} });
    await service.call('beginMaintenance', { ...operator, json: { reason: 'the database moves' } });
    const refused = await service.call('submitClip', { token: key, json: roundRequest() });
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '300']);
    await service.call('endMaintenance', operator);
    const block = { address: 'files.example.org', reason: 'asked to' };
    const { block_id } = await answerOf<{ block_id: string }>(service.call('addBlock', { ...operator, json: block }));
    await service.call('getControls', operator);
    await service.call('removeBlock', { ...operator, params: { id: block_id } });
    await service.call('deleteDemo', { ...client, params: { id: looked.id } });
    expect((await service.call('deleteDemo', { ...client, params: UNKNOWN })).status).toBe(404);
    await service.call('reindexJobs', { ...operator, json: { objects: ['5f'.repeat(32)] } });
    const recover = { ...operator, params: { id }, json: { at: new Date().toISOString() } };
    expect((await service.call('recoverJob', recover)).status).toBe(501);
    await keepEarlierState(id);
    expect((await service.call('recoverJob', recover)).status).toBe(200);
    await service.call('submitClip', { ...client, json: roundRequest({ demo_url: begun.demo_url }) });
    const able = { capabilities: { ...capabilities, skills: ['uploads'] }, wait_s: 20 };
    const ofUpload = await answerOf<Grant>(service.call('claimJob', { ...host, json: able }));
    const fetched = { ...host, params: { id: ofUpload.job_id }, query: { fence: '1' } };
    expect((await service.call('fetchDemo', fetched)).status).toBe(200);
    await service.call('deleteUpload', uploaded);
    expect((await service.call('fetchDemo', fetched)).status).toBe(404);

    await service.call('resubmitJob', job);
    const second = await answerOf<Grant>(service.call('claimJob', claim));
    await service.call('releaseJob', { ...report, json: { fence: second.lease.fence } });
    const third = await answerOf<Grant>(service.call('claimJob', claim));
    const failure = { fence: third.lease.fence, code: 'demo_404', detail: 'the server answered 404' };
    await service.call('failJob', { ...report, json: failure });
    const include = 'diagnosis,attempts,progress,queue';
    await service.call('getJob', { ...job, query: { include } });
    expect((await service.call('getJob', { ...job, query: { include: 'all' } })).status).toBe(400);
    await service.call('getClip', { ...clip, query: { include: 'urls,expiry' } });
    await service.call('listClips', { ...client, query: { include: 'urls,expiry' } });
    expect((await service.call('claimJob', { ...host, json: { capabilities, wait_s: 0 } })).status).toBe(204);
    await service.call('endPoll', { ...host, json: { poll_id: crypto.randomUUID() } });

    await service.call('resubmitJob', job);
    expect((await service.call('cancelJob', job)).status).toBe(200);
    expect((await service.call('cancelAnyJob', { ...operator, params: { id } })).status).toBe(200);

    const down = { ...operator, params: { id: clip_id }, json: { reason: 'Not here.' } };
    expect((await service.call('removeClip', down)).status).toBe(204);
    await service.call('getClip', { ...clip, query: { include: 'removal' } });
    await service.call('deleteClip', clip);
    expect((await service.call('clipPage', { params: { id: clip_id } })).status).toBe(410);
    expect((await service.call('clipVideo', { params: { id: clip_id } })).status).toBe(410);
    await service.call('deleteAsset', { ...client, params: { id: asset.id } });
    expect((await service.call('getJob', { ...client, params: UNKNOWN })).status).toBe(404);
    expect((await service.call('getJob', { token, params: { id } })).status).toBe(401);
  });

  it('in every operation there is', () => {
    expect([...service.called].sort()).toEqual(OPERATIONS.map(({ id }) => id).sort());
  });
});

const DOCUMENTS = {
  '/openapi.json': document,
  '/openapi/gateway.json': gateway,
  '/openapi/operator.json': operator,
};

describe.each(Object.entries(DOCUMENTS))('GET %s', (path, committed) => {
  it('answers with the document of this service, for any site, with a cache lifetime', async () => {
    const response = await send(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    const servers = [{ ...committed.servers[0], url: BASE_URL }];
    expect(await response.json()).toEqual({ ...committed, servers });
  });

  it('answers 304 to a reader who has it, and HEAD without a body', async () => {
    const head = await send(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const etag = head.headers.get('ETag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    expect((await send(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await send(path, { headers: { 'If-None-Match': '"another"' } })).status).toBe(200);
  });
});

describe('the documents together', () => {
  it('describes every route of the Worker but that of MCP, and no other', () => {
    const service = createService(bindings);
    const served = createRoutes(service).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = Object.values(DOCUMENTS).flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
    expect([...described, 'POST /mcp'].sort()).toEqual(served.sort());
  });
});

describe('GET /docs', () => {
  it('answers with a page without a script and without requests to other origins', async () => {
    const response = await send('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
    const page = await response.text();
    expect(page).not.toContain('<script');
    expect(page.match(/\ssrc=\S*/g)).toEqual([' src="/sample-clip.jpg"']);
    expect(page).not.toMatch(/<link (?!rel="icon" href="data:)|@import|url\(/);
  });

  it('says what a clip shows, with a still; so does the front page', async () => {
    for (const path of ['/docs', '/']) {
      expect(await (await send(path)).text(), path).toMatch(
        /from above, drawn from the demo without the game; .*GPU host/,
      );
    }
    expect(await (await send('/')).text()).toContain('src="/sample-clip.jpg"');
    const still = await send('/sample-clip.jpg');
    expect(still.headers.get('Content-Type')).toBe('image/jpeg');
    expect([...new Uint8Array(await still.arrayBuffer()).slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  it('answers HEAD without a body', async () => {
    const response = await send('/docs', { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });
});

describe('GET /docs/problems', () => {
  it('explains every kind of problem at the URL of its type', async () => {
    const page = await (await send('/docs/problems')).text();
    for (const kind of Object.keys(PROBLEMS)) expect(page).toContain(`<section id="${kind}">`);
  });

  it('is the page that the type of a problem links to', async () => {
    const refused = await send('/api/jobs');
    const { type } = await refused.json<{ type: string }>();
    const address = new URL(type, refused.url || BASE_URL);
    expect(address.hash).toBe('#unauthorized');
    expect((await send(address.pathname)).status).toBe(200);
  });
});

describe('GET /llms.txt', () => {
  it('is listed for language models, without broken links', async () => {
    const text = await (await send('/llms.txt')).text();
    expect(text).toMatch(/^# Tickreel\n\n> /);
    for (const [, path] of text.matchAll(/\]\(https:\/\/tickreel\.test(\/[^)#]*)/g)) {
      expect((await send(path ?? '')).status).toBe(200);
    }
  });
});
