import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unstable_readConfig as readConfig } from 'wrangler';
import { createTickreelOperator } from '#client/operator.ts';
import { reasonOf } from '#domain/reason.ts';
import { type ConfigFinding, checkConfig, checkSettings, DeployConfig } from './check-config.ts';
import { checkDeployed } from './check-deployed.ts';
import { createTrial, type Measured, type MeasureOptions, measureJob } from './measure-job.ts';
import { type SampleDemo, writeSample } from './sample.ts';
import { startStack } from './stack.ts';

type Wanted = Pick<MeasureOptions, 'sample' | 'workDir'>;

export interface PreflightOptions {
  readonly config: string;
  /**
   * The URL of a running deployment, used with `TICKREEL_ADMIN_TOKEN`. Without it, only the local stack is measured.
   */
  readonly url?: string;
  /** Whether to check secrets and migrations through wrangler, also without a URL. */
  readonly deployed?: boolean;
  /** Writes the demo into a folder; default: the sample of this checkout. */
  readonly writeDemo?: (folder: string) => Promise<SampleDemo>;
}

/**
 * Checks a deployment before and after it is made: its configuration, and one whole job on it and on this machine.
 * Returns the report, and whether all checks passed.
 */
export async function preflight({
  config,
  url,
  deployed = url !== undefined,
  writeDemo = writeSample,
}: PreflightOptions): Promise<{ report: string; isWell: boolean }> {
  const read = DeployConfig.parse(readConfig({ config }));
  const findings = [
    ...checkConfig(read),
    ...(deployed ? await checkDeployed(read, config) : checkSettings(read, null)),
    ...(url === undefined ? [] : await checkRunning(url)),
  ];
  const workDir = await mkdtemp(join(tmpdir(), 'tickreel-preflight-'));
  try {
    const wanted = { sample: await writeDemo(workDir), workDir };
    const measured = (where: string, measure: Promise<Measured>) =>
      measure.catch((error: unknown) => {
        findings.push({ what: `a clip ${where}`, isWell: false, advice: reasonOf(error) });
        return null;
      });
    const local = await measured('on this machine', measureHere(wanted));
    const remote = url === undefined ? null : await measured(`at ${url}`, measureAt(url, undefined, wanted));
    const report = `${findingLines(findings)}\n\n${measureTable(local ?? {}, remote)}\n`;
    return { report, isWell: findings.every(({ isWell }) => isWell) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** Returns a finding for each variable that the running service reports as wrong: only it can read the secrets. */
export async function checkRunning(baseUrl: string): Promise<ConfigFinding[]> {
  try {
    const { wrong_variables: wrong } = await createTickreelOperator({ baseUrl }).call('getOverview');
    return wrong.map(({ variable, problem }) => ({
      what: `${variable} at ${baseUrl}`,
      isWell: false,
      advice: problem,
    }));
  } catch (error) {
    return [{ what: `variables at ${baseUrl}`, isWell: false, advice: reasonOf(error) }];
  }
}

async function measureAt(baseUrl: string, adminToken: string | undefined, wanted: Wanted): Promise<Measured> {
  const trial = await createTrial(createTickreelOperator({ baseUrl, adminToken }));
  try {
    return (await measureJob({ ...wanted, ...trial, baseUrl })).measured;
  } finally {
    await trial.end();
  }
}

async function measureHere(wanted: Wanted): Promise<Measured> {
  const dataDir = join(wanted.workDir, 'stack');
  const stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'error' });
  try {
    return await measureAt(stack.baseUrl, stack.credentials.admin_token, wanted);
  } finally {
    await stack.stop();
  }
}

function findingLines(findings: readonly ConfigFinding[]): string {
  return findings
    .map(({ what, isWell, advice }) => `  ${isWell ? 'ok   ' : 'WRONG'}  ${what}${isWell ? '' : `: ${advice}`}`)
    .join('\n');
}

/** Returns a table of both measurements, and marks those that differ in kind. */
export function measureTable(local: Measured, remote: Measured | null): string {
  const lines = Object.entries(local).map(([what, here]) => {
    const there = remote?.[what];
    const isOther = there !== undefined && !what.endsWith('(ms)') && there !== here;
    return `  ${what.padEnd(26)} ${here.padEnd(30)} ${there ?? ''}${isOther ? '  <- differs' : ''}`.trimEnd();
  });
  return [`  ${''.padEnd(26)} ${'here'.padEnd(30)} ${remote ? 'deployed' : ''}`.trimEnd(), ...lines].join('\n');
}
