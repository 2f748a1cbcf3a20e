import { openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTickreel } from '#client/index.ts';
import type { TickreelOperator } from '#client/operator.ts';
import { clipUrls } from '#protocol/lib/routes.ts';
import { startRenderHosts } from './render-hosts.ts';
import { writeSample } from './sample.ts';

/** The keys of an account and a host that make a clip. */
export interface TrialKeys {
  readonly key: string;
  readonly hostToken: string;
  /** Revokes the host's token. */
  end?(): Promise<void>;
}

interface Trial extends TrialKeys {
  readonly accountId: string;
  readonly meteredKey: string;
}

/** The smallest clip, because the service is tried, not the renderer. The host that is started here is a radar. */
const SMALLEST = { renderer: 'radar', fps: 5, pre_kill_padding: 0.5, post_kill_padding: 0.5 } as const;

/** Makes an account with two keys, and a host. All stay; `end` revokes the host's token. */
export async function createTrial({ call }: TickreelOperator, name: string): Promise<Trial> {
  const { account_id: id } = await call('createAccount', { body: { name } });
  const { key: meteredKey } = await call('createKey', { params: { id }, body: { kind: 'metered' } });
  const { key } = await call('createKey', { params: { id }, body: { kind: 'reserved' } });
  const { host_id, token } = await call('createHost', { body: { name } });
  const end = async () => void (await call('revokeHost', { params: { id: host_id } }));
  return { accountId: id, meteredKey, key, hostToken: String(token), end };
}

/**
 * Makes one clip from end to end, of a demo that is uploaded, by a radar host on this machine, and loads its page and
 * its video. Returns the address of its page. Rejects with an Error if a step fails.
 */
export async function makeTrialClip(baseUrl: string, { key, hostToken, end }: TrialKeys): Promise<string> {
  const workDir = await mkdtemp(join(tmpdir(), 'tickreel-doctor-'));
  let hosts: ReturnType<typeof startRenderHosts> | undefined;
  try {
    const { path, player, round } = await writeSample(workDir);
    hosts = startRenderHosts({ count: 1, baseUrl, hostToken, dataDir: workDir, logLevel: 'error' });
    const client = createTickreel({ baseUrl, apiKey: key });
    const { demo_url } = await client.uploads.send({ name: 'sample.dem', content: await openAsBlob(path) });
    const clip = await client.clips.render({ demo_url, steam64_id: player, round, ...SMALLEST });
    const urls = clipUrls(baseUrl, clip.id);
    for (const url of [urls.page, urls.video]) {
      const response = await fetch(url, { headers: { Range: 'bytes=0-99999' } });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    }
    return urls.page;
  } finally {
    await hosts?.stop();
    await end?.();
    await rm(workDir, { recursive: true, force: true });
  }
}
