import { type HostConfig, loadHostConfig } from '../config/host-config.ts';
import { DEFAULT_WORK_DIR } from '../machine/work-dir.ts';
import { checkGame } from './check-game.ts';
import { checkGateway } from './check-gateway.ts';
import {
  checkEncoder,
  checkFonts,
  checkOutlines,
  checkPower,
  checkRadarPictures,
  checkWorkDir,
} from './check-machine.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export interface DoctorOutput {
  /** Findings as JSON, for programs. */
  readonly json: boolean;
  readonly print: (text: string) => void;
  /** Makes a test clip, if no other check failed. Without it none is made. */
  readonly makeClip?: (config: HostConfig) => Promise<Finding>;
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
  if (makeClip !== undefined && loaded.ok && isFit) findings.push(await makeClip(loaded.config));
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
