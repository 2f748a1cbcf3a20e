import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform/digest.ts';
import { PART_BYTES } from '#protocol/host/gateway.ts';
import { createService } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import { useScenario } from '../support/scenario.ts';
import { BASE_URL, bindings, submit } from '../support/service.ts';

const CHUNK = 64 * 1024;
const scene = useScenario();

/** Streams a part whose chunks are made on demand into storage that accepts one chunk at a time. */
async function sendPart({ sha256, length = true }: { sha256?: string; length?: boolean }) {
  const grant = await scene.host.claimJob(await submit(scene.account.metered));
  const upload_id = await scene.host.beginUpload(grant, 'video');
  const bytes = Uint8Array.from({ length: PART_BYTES }, (_, i) => (i * 31 + (i >> 12)) & 0xff);
  const seen = { sent: 0, stored: 0, most: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.sent === PART_BYTES) return controller.close();
        controller.enqueue(bytes.slice(seen.sent, seen.sent + CHUNK));
        seen.sent += CHUNK;
        seen.most = Math.max(seen.most, seen.sent - seen.stored);
      },
    },
    { highWaterMark: 0 },
  );
  const files = new Proxy(bindings.CLIPS, {
    get: (bucket, name) => (name === 'resumeMultipartUpload' ? resume : Reflect.get(bucket, name)),
  });
  const resume: R2Bucket['resumeMultipartUpload'] = (key, id) => {
    const real = bindings.CLIPS.resumeMultipartUpload(key, id);
    const uploadPart: R2MultipartUpload['uploadPart'] = (part, value) => {
      const { readable, writable } = new FixedLengthStream(PART_BYTES);
      void (value as ReadableStream<Uint8Array>)
        .pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform(chunk, controller) {
              seen.stored += chunk.byteLength;
              controller.enqueue(chunk);
            },
          }),
        )
        .pipeTo(writable)
        .catch(() => {});
      return real.uploadPart(part, readable);
    };
    return { key, uploadId: id, uploadPart, abort: () => real.abort(), complete: (parts) => real.complete(parts) };
  };
  const query = new URLSearchParams({
    fence: String(grant.lease.fence),
    file: 'video',
    upload_id,
    part: '1',
    sha256: sha256 ?? (await sha256Hex(bytes)),
  });
  const headers: HeadersInit = { Authorization: `Bearer ${scene.host.token}` };
  if (length) headers['Content-Length'] = String(PART_BYTES);
  const request = new Request(`${BASE_URL}/gateway/v1/jobs/${grant.job_id}/uploads/part?${query}`, {
    method: 'PUT',
    headers,
    body,
  });
  const context = createExecutionContext();
  const response = await createApp(createService({ ...bindings, CLIPS: files as R2Bucket }))(request, context);
  await waitOnExecutionContext(context);
  const end = async (etag: string) =>
    scene.host.report(grant, 'uploads/complete', { file: 'video', upload_id, parts: [{ part: 1, etag }] });
  return { response, seen, end };
}

describe('a part of 8 MiB', () => {
  it('goes into storage while it arrives: half a megabyte of it is in memory at most', async () => {
    const { response, seen, end } = await sendPart({});
    expect(response.status).toBe(200);
    expect(seen.stored).toBe(PART_BYTES);
    expect(seen.most).toBeLessThanOrEqual(512 * 1024);
    const { etag } = await response.json<{ etag: string }>();
    expect(await (await end(etag)).json()).toEqual({ bytes: PART_BYTES });
  });

  it('of another SHA-256 than announced never becomes a part: its last chunk does not reach storage', async () => {
    const { response, seen } = await sendPart({ sha256: 'f'.repeat(64) });
    expect(response.status).toBe(409);
    expect(await response.text()).toContain('another SHA-256');
    expect(seen.sent).toBe(PART_BYTES);
    expect(seen.stored).toBeLessThan(PART_BYTES);
  });

  it('that does not say its length is refused after a megabyte', async () => {
    const { response, seen } = await sendPart({ length: false });
    expect([response.status, seen.stored]).toEqual([411, 0]);
  });
});
