import { beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import { createRandom } from '../soak/random.ts';
import { clipIdOf, createAccount, createHost, type TestAccount } from '../support/accounts.ts';
import { bindings, readJob, submit } from '../support/service.ts';
import { standInMp4, type TestHost, THUMBNAIL, VIDEO } from '../support/test-host.ts';

let account: TestAccount;
let honest: TestHost;
let liar: TestHost;

beforeAll(async () => {
  account = await createAccount();
  honest = await createHost();
  liar = await createHost();
});

const text = new TextEncoder().encode('these are thirty-seven bytes of text.') as Uint8Array<ArrayBuffer>;

async function fileOf(bytes: Uint8Array<ArrayBuffer>) {
  return { bytes: bytes.byteLength, sha256: await sha256Hex(bytes) };
}

async function completion(overrides: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const files = { video: await fileOf(VIDEO), thumbnail: await fileOf(THUMBNAIL) };
  return { title: '1 kill', duration_seconds: 7.5, ...files, ...overrides };
}

/** Creates a job with a timeline of 1,000 ticks, and stores both files. */
async function uploaded(video = VIDEO, thumbnail = THUMBNAIL, asked: object = {}): Promise<Grant> {
  const timeline = [{ steam64_id: '76561198000000001', start_tick: 0, end_tick: 1000 }];
  const jobId = await submit(account.metered, { steam64_id: undefined, timeline, ...asked });
  const grant = await liar.claimJob(jobId, { skills: ['names'] });
  // A confirmed lease outlasts the uploads on a slow machine.
  await liar.heartbeat(grant);
  await liar.upload(grant, 'video', video);
  await liar.upload(grant, 'thumbnail', thumbnail);
  return grant;
}

describe('the report of a finished clip', () => {
  it.each([1e300, 20_000, 92])(
    'is refused where it lasts %d seconds and 1,000 ticks were asked for',
    async (seconds) => {
      const grant = await uploaded();
      const response = await liar.report(grant, 'complete', await completion({ duration_seconds: seconds }));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ errors: [{ path: 'duration_seconds' }] });
    },
  );

  it('is refused where the names of players are shown and were to be hidden', async () => {
    const grant = await uploaded(VIDEO, THUMBNAIL, { names: 'hide' });
    const facts = { kills: 1, players: ['Player 1'], map: 'de_nuke', round: 1 };
    for (const told of [{}, { facts }]) {
      const response = await liar.report(grant, 'complete', await completion(told));
      expect(await response.json()).toMatchObject({ status: 400, errors: [{ path: 'facts.names' }] });
    }
    const hidden = { facts: { ...facts, names: 'hidden' } };
    expect((await liar.report(grant, 'complete', await completion(hidden))).status).toBe(204);
  });

  it('is refused where the SHA-256 is not that of the stored file', async () => {
    const grant = await uploaded();
    for (const file of ['video', 'thumbnail'] as const) {
      const lie = { ...(await fileOf(file === 'video' ? VIDEO : THUMBNAIL)), sha256: 'a'.repeat(64) };
      const response = await liar.report(grant, 'complete', await completion({ [file]: lie }));
      expect(response.status).toBe(409);
      expect(await response.json()).toMatchObject({ type: expect.stringMatching(/#upload_incomplete$/) });
    }
    expect((await liar.report(grant, 'complete', await completion())).status).toBe(204);
  });

  it('is refused where a file is not what it would be served as', async () => {
    const notVideo = await uploaded(text);
    const video = { video: await fileOf(text) };
    expect((await liar.report(notVideo, 'complete', await completion(video))).status).toBe(400);
    const notPicture = await uploaded(VIDEO, text);
    const thumbnail = { thumbnail: await fileOf(text) };
    expect((await liar.report(notPicture, 'complete', await completion(thumbnail))).status).toBe(400);
    expect(await readJob(account.metered, notPicture.job_id)).toMatchObject({ clip_id: null });
  });

  it('reveals nothing of the storage to a host without the lease', async () => {
    const grant = await uploaded();
    const there = await honest.report(grant, 'complete', await completion());
    const absent = await honest.report(grant, 'complete', await completion({ video: await fileOf(standInMp4(99)) }));
    expect([there.status, absent.status]).toEqual([409, 409]);
    expect(await there.json()).toMatchObject({ type: expect.stringMatching(/#stale_lease$/) });
    expect(await absent.json()).toMatchObject({ type: expect.stringMatching(/#stale_lease$/) });
  });
});

/**
 * Runs in one process. `npx node test/soak/cli.ts hostile` runs ten with a seed each, because leases would end during a long one.
 */
const CALLS = 120;
const SEED = Number((bindings as unknown as { MODEL_SEED: string }).MODEL_SEED);

const LIES = [0, -1, 1.5, 1e300, '', 'x', null, [], {}, true, 'a'.repeat(64), '../../x', '\u0000', 2 ** 53];
const KINDS = ['heartbeat', 'complete', 'fail', 'release', 'uploads', 'uploads/complete'] as const;

describe('a host that lies in every field, under stale and foreign fences', () => {
  it('has none of its calls accepted, and changes nothing of the jobs of others', { timeout: 600_000 }, async () => {
    const random = createRandom(SEED);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    // A job of another host, one that was released and granted again, one that is done, and an unknown one.
    const working = await honest.claimJob(await submit(account.metered));
    await honest.heartbeat(working);
    const regranted = await liar.claimJob(await submit(account.metered));
    await liar.report(regranted, 'release');
    const again = await honest.claimJob(regranted.job_id);
    await honest.heartbeat(again);
    const done = await honest.claimJob(await submit(account.metered));
    await honest.heartbeat(done);
    await honest.finish(done);
    const foreign = [working.job_id, regranted.job_id, done.job_id, crypto.randomUUID()];
    const states = () => Promise.all(foreign.slice(0, 3).map((id) => readJob(account.metered, id)));
    const before = await states();
    const prefix = `clips/${await clipIdOf(done.job_id)}/`;
    const files = async () => (await bindings.CLIPS.list({ prefix })).objects.map(({ key, etag }) => key + etag);
    const stored = await files();
    expect(stored).toHaveLength(2);

    const honestBody: Record<string, Record<string, unknown>> = {
      heartbeat: { phase: 'render', progress: 0.5 },
      complete: await completion(),
      fail: { code: 'demo_404', detail: 'gone' },
      release: {},
      uploads: { file: 'video' },
      'uploads/complete': { file: 'video', upload_id: 'x', parts: [{ part: 1, etag: 'x' }] },
    };
    const outcomes: Record<number, number> = {};
    const call = async () => {
      const kind = pick(KINDS);
      const body: Record<string, unknown> = { fence: 1 + Math.floor(random() * 4), ...honestBody[kind] };
      // Two of three calls are valid but from the wrong host; the others have one false field.
      if (random() < 0.34) body[pick(Object.keys(body))] = pick(LIES);
      const grant = { job_id: pick(foreign), lease: { fence: 1 } } as Grant;
      const response = await liar.report(grant, kind, body);
      // An unread answer holds a connection.
      await response.arrayBuffer();
      const { status } = response;
      outcomes[status] = (outcomes[status] ?? 0) + 1;
    };
    for (let calls = 0; calls < CALLS; calls += 40) {
      await Promise.all(Array.from({ length: 40 }, call));
      // Keeps their leases on a slow machine.
      for (const grant of [working, again]) await honest.heartbeat(grant);
    }
    expect(Object.keys(outcomes).map(Number).sort(), `seed ${SEED}`).toEqual([400, 409]);
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(CALLS);
    // biome-ignore lint/suspicious/noConsole: what a run covered
    console.info(`${CALLS} lies of seed ${SEED}: ${JSON.stringify(outcomes)}`);
    expect(await states()).toEqual(before);
    expect(await files()).toEqual(stored);
    expect(await clipIdOf(done.job_id)).toBe(
      (await readJob<{ clip_id: string }>(account.metered, done.job_id)).clip_id,
    );
    for (const grant of [working, again]) expect((await honest.heartbeat(grant)).status).toBe(204);
  });
});
