import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../platform/digest.ts';
import { createService } from '../../service/service.ts';
import { createApp } from '../../src/worker.ts';
import { clipIdOf } from '../support/clip-ids.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { BASE_URL, bindings, send, submit } from '../support/service.ts';

const scene = useScenario();
const PART = new Uint8Array([1, 2, 3]);

describe('the end of an upload that overlaps the end of its job', () => {
  it('leaves nothing in storage, also when its host has hung up', async () => {
    const jobId = await submit(scene.account.metered);
    const grant = await scene.host.claimJob(jobId);
    const { fence } = grant.lease;
    const path = `/gateway/v1/jobs/${jobId}/uploads`;
    const { upload_id } = await (await scene.host.report(grant, 'uploads', { file: 'video' })).json<{
      upload_id: string;
    }>();
    const query = new URLSearchParams({
      fence: `${fence}`,
      file: 'video',
      upload_id,
      part: '1',
      sha256: await sha256Hex(PART),
    });
    const headers = { Authorization: `Bearer ${scene.host.token}`, 'Content-Type': 'application/json' };
    const parts = [await (await send(`${path}/part?${query}`, { method: 'PUT', headers, body: PART })).json()];

    // Storage takes its time to put the file together.
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const CLIPS = new Proxy(bindings.CLIPS, {
      get: (bucket, name) => {
        const member: unknown = Reflect.get(bucket, name);
        if (name !== 'resumeMultipartUpload') return typeof member === 'function' ? member.bind(bucket) : member;
        return (key: string) => ({
          complete: async (all: R2UploadedPart[]) => {
            begun.resolve();
            await held.promise;
            // The lease's end gave up the upload: what is left of the race is the file.
            await bindings.CLIPS.put(key, PART);
            return { size: all.length };
          },
        });
      },
    });
    const kept: Promise<unknown>[] = [];
    const app = createApp(createService({ ...bindings, CLIPS: CLIPS as R2Bucket }));
    const body = JSON.stringify({ fence, file: 'video', upload_id, parts });
    const answer = app(new Request(`${BASE_URL}${path}/complete`, { method: 'POST', headers, body }), {
      waitUntil: (work) => kept.push(work),
    });
    answer.catch(() => {});
    await begun.promise;
    await scene.host.report(grant, 'fail', { code: 'render_failed', detail: '' });
    await fireAlarm(jobId);
    held.resolve();
    // All that the platform still does for a client that has gone.
    expect(kept).toHaveLength(1);
    await Promise.all(kept);
    const { objects } = await bindings.CLIPS.list({ prefix: `clips/${await clipIdOf(jobId)}/` });
    expect(objects).toEqual([]);
    expect((await answer).status).toBe(409);
  });
});
