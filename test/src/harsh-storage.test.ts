import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../platform/digest.ts';
import type { Grant } from '../../protocol/gateway.ts';
import { clipIdOf } from '../support/clip-ids.ts';
import { createHarsh, SAYS } from '../support/harsh.ts';
import { useScenario } from '../support/scenario.ts';
import { createAccount, submit } from '../support/service.ts';

const scene = useScenario();
const PART = new Uint8Array([1, 2, 3]);

/** One upload of a video over harsh bindings, step by step. */
async function upload() {
  const harsh = createHarsh();
  const grant: Grant = await scene.host.claimJob(await submit(scene.account.metered));
  const { fence } = grant.lease;
  const send = (method: string, path: string, body: unknown) =>
    harsh.send(scene.host.token, method, `/gateway/v1/jobs/${grant.job_id}/${path}`, body);
  const begin = () => send('POST', 'uploads', { fence, file: 'video' });
  const { upload_id } = await (await begin()).json<{ upload_id: string }>();
  const query = new URLSearchParams({
    fence: `${fence}`,
    file: 'video',
    upload_id,
    part: '1',
    sha256: await sha256Hex(PART),
  });
  const part = () => send('PUT', `uploads/part?${query}`, PART);
  const end = (etag: string) =>
    send('POST', 'uploads/complete', { fence, file: 'video', upload_id, parts: [{ part: 1, etag }] });
  return { harsh, begin, part, end };
}

async function kindOf(response: Response): Promise<string> {
  const { type } = await response.json<{ type: string }>();
  return `${response.status} ${type.split('#')[1]}`;
}

describe('storage of files that fails for a moment', () => {
  it.each(['internal', 'unavailable', 'tooMany'] as const)(
    '(%s) answers 503, and the same step goes on',
    async (kind) => {
      const { harsh, begin, part, end } = await upload();
      for (const call of ['createMultipartUpload', 'uploadPart', 'complete']) {
        harsh.fail(`CLIPS.${call}`, `${call}: ${SAYS.r2[kind]}`);
      }
      const refused = await begin();
      expect(refused.headers.get('Retry-After')).toBe('1');
      expect(await kindOf(refused)).toBe('503 unavailable');
      expect(await kindOf(await part())).toBe('503 unavailable');
      const { etag } = await (await part()).json<{ etag: string }>();
      expect(await kindOf(await end(etag))).toBe('503 unavailable');
      expect((await end(etag)).status).toBe(200);
    },
  );

  it('and says nothing that is known answers 503 as well', async () => {
    const { harsh, part } = await upload();
    harsh.fail('CLIPS.uploadPart', 'something that no document has');
    expect(await kindOf(await part())).toBe('503 unavailable');
  });

  it.each(['noUpload', 'noPart'] as const)('is told from an upload that is not there (%s): 409', async (kind) => {
    const { harsh, part, end } = await upload();
    harsh.fail('CLIPS.uploadPart', `uploadPart: ${SAYS.r2[kind]}`);
    expect(await kindOf(await part())).toBe('409 upload_incomplete');
    harsh.fail('CLIPS.complete', `completeMultipartUpload: ${SAYS.r2[kind]}`);
    expect(await kindOf(await end('"x"'))).toBe('409 upload_incomplete');
  });
});

describe('the index that fails for a moment', () => {
  it.each(SAYS.d1)('(%s) answers 503 on public pages and to clients', async (text) => {
    const harsh = createHarsh();
    const id = await clipIdOf(crypto.randomUUID());
    for (const path of [`/clips/${id}`, `/clips/${id}/embed`, `/clips/${id}/video.mp4`]) {
      harsh.fail('DB', text);
      const response = await harsh.send('', 'GET', path);
      expect(`${path} ${response.status} ${response.headers.get('Retry-After')}`).toBe(`${path} 503 1`);
      await response.body?.cancel();
    }
    const { metered } = await createAccount();
    harsh.fail('DB', text);
    expect(await kindOf(await harsh.send(metered, 'GET', '/api/jobs'))).toBe('503 unavailable');
    expect((await harsh.send(metered, 'GET', '/api/jobs')).status).toBe(200);
  });
});
