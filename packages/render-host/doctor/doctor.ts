import { reasonOf } from '#domain/lib/text.ts';
import { GATEWAY_PREFIX } from '#protocol/host/gateway.ts';
import { type HostConfig, loadHostConfig } from '../config/host-config.ts';
import { DEFAULT_WORK_DIR } from '../machine/work-dir.ts';
import { checkGame } from './check-game.ts';
import {
  checkEncoder,
  checkFonts,
  checkOutlines,
  checkPower,
  checkRadarPictures,
  checkWorkDir,
  type Finding,
  fail,
  ok,
  warn,
} from './check-machine.ts';

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
async function checkGateway({ serviceUrl, token }: GatewayAddress, now: () => number): Promise<Finding[]> {
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

export interface DoctorOutput {
  /** Findings as JSON, for programs. */
  readonly json: boolean;
  readonly print: (text: string) => void;
  /** Makes a test clip, if no other check failed. Without it none is made. */
  readonly makeClip?: (config: HostConfig, findings: readonly Finding[]) => Promise<Finding>;
}

/** Checks what a render host needs, and prints the findings. Resolves with the exit status: 1 if a check failed. */
export async function runDoctor(
  environment: NodeJS.ProcessEnv,
  { json, print, makeClip }: DoctorOutput,
): Promise<number> {
  const findings = await examine(environment, Date.now);
  const loaded = loadHostConfig(environment);
  // A clip can be made without the service.
  const isFit = findings.every(({ check, status }) => status !== 'fail' || BEYOND_CLIPS.includes(check));
  if (makeClip !== undefined && loaded.ok && isFit) findings.push(await makeClip(loaded.config, findings));
  const failed = findings.filter(({ status }) => status === 'fail').length;
  print(json ? `${JSON.stringify({ ok: failed === 0, findings }, null, 2)}\n` : report(findings, failed));
  return failed === 0 ? 0 : 1;
}

/** Returns all findings. Checks that need no environment run even if that is wrong. `now` in milliseconds. */
export async function examine(environment: NodeJS.ProcessEnv, now: () => number): Promise<Finding[]> {
  const loaded = loadHostConfig(environment);
  const config = loaded.ok ? loaded.config : null;
  const [workDir, encoder, beyond] = await Promise.all([
    checkWorkDir(config?.workDir ?? environment.TICKREEL_WORK_DIR ?? DEFAULT_WORK_DIR, config?.minFreeBytes ?? 0),
    checkEncoder(environment, (config?.cs2 ?? null) !== null),
    config === null ? [] : checkBeyond(config, now),
  ]);
  const environmentFindings = loaded.ok
    ? [ok('environment', 'complete'), ...loaded.warnings.map((text) => warn('environment', text, MISSPELT))]
    : loaded.issues.map(({ variable, message }) =>
        fail('environment', `${variable} ${message}`, `set ${variable} as docs/render-host.md says`),
      );
  return [...environmentFindings, ...workDir, checkPower(), encoder, checkFonts(), ...beyond];
}

/** Checks of the service, and of the machine's clock. */
const BEYOND_CLIPS = ['gateway', 'token', 'clock'];

const MISSPELT = 'correct its name or remove it: `render-host --help` lists the settings';

async function checkBeyond(config: HostConfig, now: () => number): Promise<Finding[]> {
  const { cs2, radar } = config;
  const game = cs2 === null ? [] : checkGame(cs2);
  const pictures = cs2 !== null || radar.radarDir === null ? [] : checkRadarPictures(radar.radarDir);
  const outlines = cs2 !== null || radar.outlineDir === null ? [] : checkOutlines(radar.outlineDir);
  return (await Promise.all([game, pictures, outlines, checkGateway(config, now)])).flat();
}

const SIGNS = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } as const;

function report(findings: readonly Finding[], failed: number): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, status, detail, remedy }) => [
    `${SIGNS[status]}  ${check.padEnd(width)}  ${detail}`,
    ...(remedy === null ? [] : [`${' '.repeat(width + 8)}→ ${remedy}`]),
  ]);
  const things = failed === 1 ? 'One thing has' : `${failed} things have`;
  const end = failed === 0 ? 'This host is ready.' : `${things} to be mended before this host can work.`;
  return `${[...lines, '', end].join('\n')}\n`;
}
