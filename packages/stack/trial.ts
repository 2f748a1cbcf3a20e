import { openAsBlob } from 'node:fs';
import { createTickreel } from '#client/index.ts';
import type { TickreelOperator } from '#client/operator.ts';
import { clipUrls } from '#protocol/lib/routes.ts';
import { startRenderHosts } from './render-hosts.ts';
import type { SampleDemo } from './sample.ts';

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

export interface MeasureOptions extends TrialKeys {
  readonly baseUrl: string;
  readonly sample: SampleDemo;
  /** The folder for files of the render host. */
  readonly workDir: string;
}

/** The smallest clip, because the service is measured, not the renderer. The host that is started here is a radar. */
const SMALLEST = { renderer: 'radar', fps: 5, pre_kill_padding: 0.5, post_kill_padding: 0.5 } as const;

/** What was measured, as the texts of a table. */
export type Measured = Readonly<Record<string, string>>;

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
 * Makes and measures one clip from end to end, of a demo that is uploaded, by a radar host on this machine. Rejects
 * with an Error if a step fails.
 */
export async function measureJob({ baseUrl, hostToken, workDir, ...options }: MeasureOptions): Promise<Measured> {
  const hosts = startRenderHosts({ count: 1, baseUrl, hostToken, dataDir: workDir, logLevel: 'error' });
  try {
    return await followJob(baseUrl, options);
  } finally {
    await hosts.stop();
  }
}

async function followJob(baseUrl: string, { key, sample }: Pick<MeasureOptions, 'key' | 'sample'>) {
  const client = createTickreel({ baseUrl, apiKey: key });
  const { path, player, round } = sample;
  const { demo_url } = await client.uploads.send({ name: 'sample.dem', content: await openAsBlob(path) });
  const submitted = performance.now();
  const { job_id } = await client.clips.submit({ demo_url, steam64_id: player, round, ...SMALLEST });
  const accepted = performance.now();
  let handedOver: number | null = null;
  for await (const { status } of client.jobs.watch(job_id)) {
    if (status === 'prefetch' || status === 'render') handedOver ??= performance.now();
  }
  const { status, clip_id, error_code } = await client.jobs.get(job_id);
  if (clip_id === null) throw new Error(`the job ended in ${status} (${error_code})`);
  const urls = clipUrls(baseUrl, clip_id);
  const page = await timed(urls.page);
  const first = await timed(urls.video, { Range: 'bytes=0-99999' });
  const again = await timed(urls.video, { Range: 'bytes=0-99999' });
  return {
    clip: urls.page,
    'accept (ms)': ms(accepted - submitted),
    'hand-over to a host (ms)': handedOver === null ? 'not seen' : ms(handedOver - accepted),
    page: `${page.status}, ${page.policy}`,
    'page (ms)': ms(page.took),
    range: `${first.status}, ${first.policy}`,
    'range, first time (ms)': ms(first.took),
    'range, second time (ms)': ms(again.took),
  };
}

async function timed(url: string, headers: Record<string, string> = {}) {
  const begun = performance.now();
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  const took = performance.now() - begun;
  return { status: response.status, policy: response.headers.get('Cache-Control') ?? 'no Cache-Control', took };
}

const ms = (value: number) => value.toFixed(0);
