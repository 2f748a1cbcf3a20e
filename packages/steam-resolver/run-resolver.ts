import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '#domain/reason.ts';
import { GATEWAY_PREFIX, MAX_CLAIM_WAIT_S, ResolverGrant } from '#protocol/gateway.ts';
import type { Resolve } from './ask-steam.ts';

/** What each claim has to name. The service gives a resolver nothing but share codes. */
const ABLE = { renderer: 'radar', max_resolution: 1440, max_fps: 120, game_build: null, agent_version: '0.1.0' };

/**
 * Asks the service for share codes and reports their replays, one at a time, until `stop` aborts; the code at work is
 * finished. Waits `pauseMs` between two, and twelve times as long if Steam does not answer or the service fails.
 * Rejects if the service refuses the token.
 */
export async function runResolver(
  { serviceUrl, token, pauseMs = 5000 }: { serviceUrl: string; token: string; pauseMs?: number },
  { resolve, log, stop }: { resolve: Resolve; log: (text: string) => void; stop: AbortSignal },
): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const call = (path: string, body: object, signal: AbortSignal | null = null) =>
    fetch(new URL(GATEWAY_PREFIX + path, serviceUrl), { method: 'POST', headers, body: JSON.stringify(body), signal });

  async function work(granted: unknown): Promise<boolean> {
    const { job_id, share_code, lease } = ResolverGrant.parse(granted);
    const report = (kind: string, body: object = {}) =>
      call(`/jobs/${job_id}/${kind}`, { fence: lease.fence, ...body });
    const beat = () => report('heartbeat', { phase: 'prefetch', progress: 0 }).catch(() => {});
    await beat();
    const beating = setInterval(beat, lease.heartbeat_s * 1000);
    try {
      const found = await resolve(share_code);
      const sent = await ('url' in found
        ? report('resolved', found)
        : report('fail', { ...found, detail: 'of Steam' }));
      if (sent.status === 400) await report('fail', { code: 'demo_url_rejected', detail: await sent.text() });
      if (sent.status >= 500) await report('release');
      log(`${share_code}: ${JSON.stringify(found)}, answered ${sent.status}`);
      return sent.status >= 500 || ('code' in found && found.code === 'resolver_signed_out');
    } finally {
      clearInterval(beating);
    }
  }

  while (!stop.aborted) {
    const until = AbortSignal.any([stop, AbortSignal.timeout(2000 * MAX_CLAIM_WAIT_S)]);
    const failed = (error: unknown) => log(reasonOf(error));
    const response = await call('/claim', { capabilities: ABLE }, until).catch(failed);
    if (response?.status === 401) throw new Error(`The service refuses this token: ${await response.text()}`);
    const isAway = response?.status === 200 && (await response.json().then(work).catch(failed));
    await delay(isAway ? 12 * pauseMs : pauseMs, null, { signal: stop }).catch(() => {});
  }
}
