import { type Unstable_Config as DeployConfig, unstable_readConfig as readConfig } from 'wrangler';
import { createTickreelOperator, type TickreelOperator } from '#client/operator.ts';
import { isUnservable } from '#domain/host/wait.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { type ConfigFinding, checkConfig, checkSettings } from './check-config.ts';
import { writeJson } from './data-lock.ts';
import { configOf, filesOf, readChanges, type Target } from './deployment.ts';
import { createTrial, makeTrialClip, type TrialKeys } from './trial.ts';
import { createWrangler, type Wrangler } from './wrangler.ts';

export interface DoctorOptions extends Target {
  /** The URL of the running deployment. Without it, no clip is made. */
  readonly url?: string;
  /** Default: `TICKREEL_ADMIN_TOKEN`. */
  readonly adminToken?: string;
  /** The keys for the clip. Default: those of a new account and a new host, whose token is revoked afterwards. */
  readonly keys?: TrialKeys;
  /** Whether to check secrets and migrations through wrangler, also without a URL. */
  readonly deployed?: boolean;
}

/**
 * Checks a deployment: its configuration, what it has at Cloudflare, and one whole job. Returns the report, and whether
 * all checks passed.
 */
export async function doctor(options: DoctorOptions): Promise<{ report: string; isWell: boolean }> {
  const { url, deployed = url !== undefined } = options;
  const file = writeJson(filesOf(options).wrangler, configOf(readChanges(options)));
  const config = readConfig({ config: file });
  const findings = [
    ...checkConfig(config),
    ...(deployed ? await checkDeployed(config, file) : checkSettings(config.vars, null)),
  ];
  if (url !== undefined) {
    const operator = createTickreelOperator({ baseUrl: url, adminToken: options.adminToken });
    findings.push(...(await checkRunning(operator)));
    try {
      const keys = options.keys ?? (await createTrial(operator, 'doctor'));
      findings.push({ what: `a clip: ${await makeTrialClip(url, keys)}`, isWell: true, advice: '' });
    } catch (error) {
      findings.push(unwell(`a clip at ${url}`, reasonOf(error)));
    }
  }
  const lines = findings.map(({ what, isWell, isMinor, advice }) => {
    const verdict = isWell ? 'ok     ' : isMinor ? 'warning' : 'WRONG  ';
    return `  ${verdict}  ${what}${isWell ? '' : `: ${advice}`}`;
  });
  return { report: lines.join('\n'), isWell: findings.every(({ isWell, isMinor }) => isWell || isMinor) };
}

/**
 * Returns a finding for each variable that the running service reports as wrong, and for jobs that no host can take.
 * Only the service can read the secrets.
 */
async function checkRunning({ call }: TickreelOperator): Promise<ConfigFinding[]> {
  try {
    const { wrong_variables: wrong, waits } = await call('getOverview');
    return [
      ...wrong.map(({ variable, problem }) => unwell(`${variable} of the service`, problem)),
      ...waits.filter(isUnservable).map(({ jobs, text }) => ({ ...unwell(`${jobs} jobs wait`, text), isMinor: true })),
    ];
  } catch (error) {
    return [unwell('variables and waits of the service', reasonOf(error))];
  }
}

const unwell = (what: string, advice: string): ConfigFinding => ({ what, isWell: false, advice });
/** Returns the finding of a check that could not look. */
const unseen = (what: string, error: unknown) => unwell(what, `they could not be looked at: ${reasonOf(error)}`);

/** Checks what a deployment has besides its configuration: secrets, and the state of its database. */
export async function checkDeployed(config: DeployConfig, file: string): Promise<ConfigFinding[]> {
  const wrangler = createWrangler(file);
  return (await Promise.all([checkSecrets(config, wrangler), checkMigrations(wrangler)])).flat();
}

async function checkSecrets(config: DeployConfig, wrangler: Wrangler): Promise<ConfigFinding[]> {
  const wanted = ['ADMIN_TOKEN', 'CLIP_ID_SECRET'];
  try {
    const set = await wrangler.secrets();
    const found = wanted.map((name) => {
      return { what: `secret ${name}`, isWell: set.includes(name), advice: `npm run deploy -- --secret ${name}` };
    });
    return [...found, ...checkSettings(config.vars, [...set, ...wanted])];
  } catch (error) {
    return [unseen('secrets', error), ...checkSettings(config.vars, null)];
  }
}

async function checkMigrations(wrangler: Wrangler): Promise<ConfigFinding[]> {
  const what = 'migrations of DB';
  try {
    const printed = await wrangler.read('d1', 'migrations', 'list', 'DB', '--remote');
    const isWell = printed.includes('No migrations to apply');
    return [{ what, isWell, advice: 'npm run deploy applies those missing' }];
  } catch (error) {
    return [unseen(what, error)];
  }
}
