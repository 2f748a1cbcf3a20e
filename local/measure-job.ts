import * as z from 'zod';
import { createTickreel } from '../client/index.ts';
import { href } from '../protocol/routes.ts';
import { ADMIN_ROUTES } from '../protocol/service-routes.ts';
import { clipUrls } from '../protocol/webhook.ts';
import { startRenderHosts } from './render-hosts.ts';

export interface MeasureOptions {
  readonly baseUrl: string;
  readonly adminToken: string;
  readonly demoUrl: string;
  readonly player: string;
  readonly round: number;
  /** For the files of the render host. */
  readonly workDir: string;
}

/** What is measured is the service, and not how long a picture takes. */
const SMALLEST = { fps: 5, pre_kill_padding: 0.5, post_kill_padding: 0.5 };

/** What was seen, each in the words that a table shows. */
export type Measured = Readonly<Record<string, string>>;

/**
 * Has a service make one clip from end to end, with an account and a radar host of its own, and measures it. Both stay,
 * by the name `preflight`; the host's token is revoked. Rejects with an Error where a step fails.
 */
export async function measureJob({ baseUrl, adminToken, ...options }: MeasureOptions): Promise<Measured> {
  const admin = createAdmin(baseUrl, adminToken);
  const account = await admin('POST', href(ADMIN_ROUTES.createAccount), { name: 'preflight' });
  const { key } = await admin('POST', href(ADMIN_ROUTES.createKey, { id: text(account.account_id) }), {
    kind: 'reserved',
  });
  const host = await admin('POST', href(ADMIN_ROUTES.createHost), { name: 'preflight' });
  const hosts = startRenderHosts({
    count: 1,
    baseUrl,
    hostToken: text(host.token),
    dataDir: options.workDir,
    logLevel: 'error',
  });
  try {
    return await followJob(baseUrl, text(key), options);
  } finally {
    await hosts.stop();
    await admin('DELETE', href(ADMIN_ROUTES.revokeHost, { id: text(host.host_id) }));
  }
}

async function followJob(
  baseUrl: string,
  key: string,
  { demoUrl, player, round }: Pick<MeasureOptions, 'demoUrl' | 'player' | 'round'>,
): Promise<Measured> {
  const client = createTickreel({ baseUrl, apiKey: key });
  const submitted = performance.now();
  const { jobId } = await client.clips.submit({ demo_url: demoUrl, steam64_id: player, round, ...SMALLEST });
  const accepted = performance.now();
  let handedOver: number | null = null;
  for await (const { status } of client.jobs.watch(jobId)) {
    if (status === 'prefetch' || status === 'render') handedOver ??= performance.now();
  }
  const { status, clip_id, error_code } = await client.jobs.get(jobId);
  if (clip_id === null) throw new Error(`the job ended in ${status} (${error_code})`);
  const urls = clipUrls(baseUrl, clip_id);
  const page = await timed(urls.page);
  const first = await timed(urls.video, { Range: 'bytes=0-99999' });
  const again = await timed(urls.video, { Range: 'bytes=0-99999' });
  return {
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

function createAdmin(baseUrl: string, token: string) {
  return async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { Authorization: `Bearer ${token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) };
    const response = await fetch(baseUrl + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.status === 204 ? {} : z.record(z.string(), z.unknown()).parse(await response.json());
  };
}

const text = (value: unknown) => z.string().parse(value);
const ms = (value: number) => value.toFixed(0);
