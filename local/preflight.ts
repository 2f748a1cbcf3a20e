import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unstable_readConfig as readConfig } from 'wrangler';
import { reasonOf } from '../domain/reason.ts';
import { checkConfig, DeployConfig, type Finding } from './check-config.ts';
import { checkDeployed } from './check-deployed.ts';
import { type Measured, measureJob } from './measure-job.ts';
import { type Sample, writeSample } from './sample.ts';
import { serveFile } from './serve-file.ts';
import { startStack } from './stack.ts';

export interface PreflightOptions {
  readonly config: string;
  /** A running deployment and its operator's token; without them the local stack alone is measured. */
  readonly url?: string;
  readonly adminToken?: string;
  /** Where the deployment finds the sample demo (`npm run write-demo` writes it). */
  readonly demoUrl?: string;
  /** Look at secrets and migrations, through wrangler, also without an address. */
  readonly deployed?: boolean;
  /** Writes the demo into a folder; unless told, the sample of this checkout. */
  readonly writeDemo?: (folder: string) => Promise<Sample>;
}

/**
 * Looks at a deployment before and after it is made: its configuration, and one whole job on it beside one on this
 * machine. Gives the text of the report, and whether all is well.
 */
export async function preflight({
  config,
  url,
  adminToken,
  demoUrl,
  deployed = url !== undefined,
  writeDemo = writeSample,
}: PreflightOptions): Promise<{ report: string; isWell: boolean }> {
  const read = DeployConfig.parse(readConfig({ config }));
  const findings = [...checkConfig(read), ...(deployed ? await checkDeployed(read, config) : [])];
  const workDir = await mkdtemp(join(tmpdir(), 'tickreel-preflight-'));
  try {
    const { player, round, path } = await writeDemo(workDir);
    const wanted = { player, round, workDir };
    const measured = (where: string, measure: Promise<Measured>) =>
      measure.catch((error: unknown) => {
        findings.push({ what: `a clip ${where}`, isWell: false, advice: reasonOf(error) });
        return null;
      });
    const local = await measured('on this machine', measureHere(path, wanted));
    const there = { baseUrl: url ?? '', adminToken: adminToken ?? '', demoUrl: demoUrl ?? '' };
    const remote = url === undefined ? null : await measured(`at ${url}`, measureJob({ ...wanted, ...there }));
    const report = `${findingLines(findings)}\n\n${measureTable(local ?? {}, remote)}\n`;
    return { report, isWell: findings.every(({ isWell }) => isWell) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function measureHere(
  path: string,
  wanted: { player: string; round: number; workDir: string },
): Promise<Measured> {
  const demo = await serveFile(path);
  const dataDir = join(wanted.workDir, 'stack');
  const stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'error' });
  try {
    const { baseUrl, credentials } = stack;
    return await measureJob({ ...wanted, baseUrl, adminToken: credentials.admin_token, demoUrl: demo.url });
  } finally {
    await stack.stop();
    await demo.stop();
  }
}

function findingLines(findings: readonly Finding[]): string {
  return findings
    .map(({ what, isWell, advice }) => `  ${isWell ? 'ok   ' : 'WRONG'}  ${what}${isWell ? '' : `: ${advice}`}`)
    .join('\n');
}

/** What both came to, and a mark at what differs in kind. */
export function measureTable(local: Measured, remote: Measured | null): string {
  const lines = Object.entries(local).map(([what, here]) => {
    const there = remote?.[what];
    const isOther = there !== undefined && !what.endsWith('(ms)') && there !== here;
    return `  ${what.padEnd(26)} ${here.padEnd(30)} ${there ?? ''}${isOther ? '  <- differs' : ''}`.trimEnd();
  });
  return [`  ${''.padEnd(26)} ${'here'.padEnd(30)} ${remote ? 'deployed' : ''}`.trimEnd(), ...lines].join('\n');
}
