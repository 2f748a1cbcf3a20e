import { reasonOf } from '#domain/reason.ts';
import { GATEWAY_PREFIX } from '#protocol/gateway.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const PATIENCE_MS = 10_000;
/**
 * The largest accepted difference of clocks. With a larger one, signed links and certificates seem expired, or not yet
 * valid.
 */
const SKEW_S = { warn: 5, fail: 120 };

export interface GatewayAddress {
  readonly serviceUrl: string;
  readonly token: string;
}

/**
 * Sends the gateway an empty claim, which it refuses after it has accepted the token. Shows whether the gateway
 * answers, whether it accepts the token, and its time. `now` in milliseconds.
 */
export async function checkGateway({ serviceUrl, token }: GatewayAddress, now: () => number): Promise<Finding[]> {
  const sentAt = now();
  let response: Response;
  try {
    response = await fetch(`${serviceUrl}${GATEWAY_PREFIX}/claim`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch (error) {
    const remedy = 'check TICKREEL_URL, this machine’s DNS and firewall, and whether the service is up';
    return [fail('gateway', `${serviceUrl} cannot be reached: ${reasonOf(error)}`, remedy)];
  }
  await response.body?.cancel();
  const skew = judgeClock(response.headers.get('date'), (sentAt + now()) / 2);
  return [...judgeAnswer(response.status, serviceUrl), ...(skew === null ? [] : [skew])];
}

function judgeAnswer(status: number, serviceUrl: string): Finding[] {
  const reached = ok('gateway', `${serviceUrl} answers`);
  if (status === 400) return [reached, ok('token', 'the gateway knows this host')];
  if (status === 401 || status === 403) {
    const remedy = 'ask the operator of the service for a new token, and set TICKREEL_HOST_TOKEN to it';
    return [reached, fail('token', `the gateway refuses it (${status})`, remedy)];
  }
  if (status >= 500) {
    return [
      fail('gateway', `${serviceUrl} answers ${status}`, 'the service fails: tell its operator, or try again later'),
    ];
  }
  return [fail('gateway', `${serviceUrl} answers ${status}, which no Tickreel service does`, 'check TICKREEL_URL')];
}

/** Returns null for an answer without a date. Its resolution is a second. */
function judgeClock(date: string | null, at: number): Finding | null {
  const time = Date.parse(date ?? '');
  if (Number.isNaN(time)) return null;
  const skew = Math.round((at - time - 500) / 1000);
  const detail =
    skew === 0 ? 'agrees with the gateway' : `${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the gateway`;
  const remedy = 'set the clock, and keep it set: timedatectl set-ntp true';
  if (Math.abs(skew) >= SKEW_S.fail) return fail('clock', detail, remedy);
  return Math.abs(skew) >= SKEW_S.warn ? warn('clock', detail, remedy) : ok('clock', detail);
}
