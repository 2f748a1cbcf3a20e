import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import { reasonOf } from '../domain/reason.ts';
import type { DeployConfig, Finding } from './check-config.ts';
import { PROJECT_ROOT } from './project-root.ts';

const Secrets = z.array(z.looseObject({ name: z.string() }));
const Rows = z.tuple([z.looseObject({ results: z.array(z.object({ name: z.string() })) })]);

/** Looks at what a deployment has that its configuration does not say: secrets, and the state of its databases. */
export async function checkDeployed(config: DeployConfig, file: string): Promise<Finding[]> {
  const bindings = config.d1_databases.map(({ binding }) => binding);
  return (await Promise.all([checkSecrets(config, file), ...bindings.map((one) => checkMigrations(one, file))])).flat();
}

async function checkSecrets({ vars }: DeployConfig, file: string): Promise<Finding[]> {
  const wanted = ['ADMIN_TOKEN', 'CLIP_ID_SECRET', ...(vars.PURGE_ZONE_ID === undefined ? [] : ['PURGE_TOKEN'])];
  try {
    const set = Secrets.parse(await wrangler(file, 'secret', 'list')).map(({ name }) => name);
    return wanted.map((name) => ({
      what: `secret ${name}`,
      isWell: set.includes(name),
      advice: `npx wrangler secret put ${name}`,
    }));
  } catch (error) {
    return [{ what: 'secrets', isWell: false, advice: `they could not be looked at: ${reasonOf(error)}` }];
  }
}

async function checkMigrations(binding: string, file: string): Promise<Finding[]> {
  const what = `migrations of ${binding}`;
  const query = ['--remote', '--json', '--command', 'SELECT name FROM d1_migrations ORDER BY id'];
  try {
    const [{ results }] = Rows.parse(await wrangler(file, 'd1', 'execute', binding, ...query));
    const applied = results.map(({ name }) => name);
    const written = readdirSync(join(PROJECT_ROOT, 'migrations')).filter((name) => name.endsWith('.sql'));
    const missing = written
      .filter((name) => !applied.includes(name))
      .sort()
      .join(', ');
    const unknown = applied.filter((name) => !written.includes(name)).join(', ');
    const advice = missing === '' ? `${unknown} came with a later version` : `npm run deploy applies ${missing}`;
    return [{ what, isWell: missing === '' && unknown === '', advice }];
  } catch (error) {
    return [{ what, isWell: false, advice: `they could not be looked at: ${reasonOf(error)}` }];
  }
}

/** What wrangler answers in JSON, as whoever it is logged in as. Rejects with its own words. */
async function wrangler(file: string, ...args: readonly string[]): Promise<unknown> {
  const program = join(PROJECT_ROOT, 'node_modules/wrangler/bin/wrangler.js');
  const run = promisify(execFile)(process.execPath, [program, ...args, '--config', file]);
  const { stdout } = await run.catch(({ stdout, stderr }) => Promise.reject(new Error(errorOf(stdout, stderr))));
  return JSON.parse(stdout);
}

/** With `--json` the error is JSON as well; else it is the line that says so. */
function errorOf(stdout: string, stderr: string): string {
  const text = stripVTControlCharacters(`${stdout}\n${stderr}`);
  const [, json] = /"(?:text|message)": "([^"]+)"/.exec(text) ?? [];
  const [, line] = /ERROR\S* (.+)/.exec(text) ?? [];
  return json ?? line ?? 'wrangler failed';
}
