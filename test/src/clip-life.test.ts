import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '../../platform/digest.ts';
import type { Grant } from '../../protocol/gateway.ts';
import { renderJobOf } from '../../service/bindings.ts';
import { countRows } from '../support/count-rows.ts';
import { createHarsh } from '../support/harsh.ts';
import { THUMBNAIL, VIDEO } from '../support/host.ts';
import { fireAlarm, useScenario } from '../support/scenario.ts';
import { bindings, readJob, roundRequest } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const CAPABILITIES = { renderer: 'radar', max_resolution: 1440, max_fps: 120, game_build: null, agent_version: 'test' };

/** What one clip asks of the platform, from its submission to its deletion, with a webhook and two views. */
describe("one clip's life", () => {
  it('costs so many calls, rows and bytes, and no more', async () => {
    const harsh = createHarsh();
    const rows = await countRows();
    const { metered } = scene.account;
    const post = (token: string, path: string, body?: unknown) => harsh.send(token, 'POST', path, body);
    // Who asks is known to the isolate after the first request.
    await harsh.send(metered, 'GET', '/api/jobs');
    await post(scene.host.token, '/gateway/v1/claim', { capabilities: CAPABILITIES, wait_s: 0 });
    harsh.reset();
    rows.reset();

    const submitted = await post(metered, '/api/clips', roundRequest({ webhook_url: createInbox().url }));
    const { job_id: jobId } = await submitted.json<{ job_id: string }>();
    await fireAlarm(jobId);
    await harsh.inside(jobId);
    const claimed = await post(scene.host.token, '/gateway/v1/claim', { capabilities: CAPABILITIES, wait_s: 5 });
    const { lease } = await claimed.json<Grant>();
    const { fence } = lease;
    const host = (kind: string, body: object) =>
      post(scene.host.token, `/gateway/v1/jobs/${jobId}/${kind}`, { fence, ...body });
    for (let beats = 0; beats < 12; beats++) {
      vi.setSystemTime(Date.now() + 10_000);
      await host('heartbeat', { phase: 'render', progress: beats / 12 });
    }
    const files = { video: VIDEO, thumbnail: THUMBNAIL };
    for (const [file, bytes] of Object.entries(files)) {
      const sha256 = await sha256Hex(bytes);
      const { upload_id } = await (await host('uploads', { file })).json<{ upload_id: string }>();
      const query = new URLSearchParams({ fence: `${fence}`, file, upload_id, part: '1', sha256 });
      const part = await harsh.send(scene.host.token, 'PUT', `/gateway/v1/jobs/${jobId}/uploads/part?${query}`, bytes);
      await host('uploads/complete', { file, upload_id, parts: [await part.json()] });
    }
    const stored = async (bytes: Uint8Array<ArrayBuffer>) => ({
      bytes: bytes.byteLength,
      sha256: await sha256Hex(bytes),
    });
    const completed = await host('complete', {
      title: 't',
      duration_seconds: 7.5,
      video: await stored(VIDEO),
      thumbnail: await stored(THUMBNAIL),
    });
    expect(completed.status, await completed.clone().text()).toBe(204);
    await fireAlarm(jobId);
    const { clip_id } = await readJob<{ clip_id: string }>(metered, jobId);
    const clip = `/clips/${clip_id}`;
    for (const path of [clip, `${clip}/video.mp4`, `${clip}/video.mp4`])
      await (await harsh.send('', 'GET', path)).arrayBuffer();
    await harsh.send(metered, 'DELETE', `/api/clips/${clip_id}`);
    await fireAlarm(jobId);

    const asked = (of: RegExp) => harsh.calls.filter((call) => of.test(call)).length;
    const bytes = await runInDurableObject(renderJobOf(bindings, jobId), (_, { storage }) => storage.sql.databaseSize);
    const life = {
      objects: asked(/^(RENDER_JOB|DISPATCHER)/),
      statements: asked(/^DB/),
      rowsWritten: harsh.rowsWritten(),
      jobRows: rows.ofJobs(),
      dispatcherRows: rows.ofDispatcher(),
      classA: asked(/^CLIPS\.(createMultipartUpload|uploadPart|complete|put|list)/),
      classB: asked(/^CLIPS\.(get|head)/),
      bytes,
    };
    // docs/scale.md has the bill of it. An effect that is tried twice on a busy machine costs a call or two.
    const most = {
      objects: 30,
      statements: 10,
      rowsWritten: 37,
      jobRows: 24,
      dispatcherRows: 10,
      classA: 10,
      classB: 11,
    };
    for (const [what, count] of Object.entries(most)) {
      expect(life[what as keyof typeof most], what).toBeGreaterThan(0);
      expect(life[what as keyof typeof most], what).toBeLessThanOrEqual(count + 2);
    }
    expect(life.bytes).toBeLessThanOrEqual(16_384);
  });
});
