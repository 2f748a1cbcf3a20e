import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { reasonOf } from '#domain/reason.ts';
import { type ConfigFinding, checkSettings, type DeployConfig } from './check-config.ts';
import { PROJECT_ROOT } from './project-root.ts';
import { createWrangler, type Wrangler } from './setup/wrangler.ts';

const Secrets = z.array(z.looseObject({ name: z.string() }));
const Rows = z.tuple([z.looseObject({ results: z.array(z.object({ name: z.string() })) })]);

/** Checks what a deployment has besides its configuration: secrets, and the state of its database. */
export async function checkDeployed(config: DeployConfig, file: string): Promise<ConfigFinding[]> {
  const wrangler = createWrangler(file);
  return (await Promise.all([checkSecrets(config, wrangler), checkMigrations(wrangler)])).flat();
}

async function checkSecrets(config: DeployConfig, wrangler: Wrangler): Promise<ConfigFinding[]> {
  const wanted = ['ADMIN_TOKEN', 'CLIP_ID_SECRET'];
  try {
    const set = Secrets.parse(JSON.parse(await wrangler.read('secret', 'list'))).map(({ name }) => name);
    const found = wanted.map((name) => ({
      what: `secret ${name}`,
      isWell: set.includes(name),
      advice: `npm run deploy -- --secret ${name}`,
    }));
    return [...found, ...checkSettings(config, [...set, ...wanted])];
  } catch (error) {
    const advice = `they could not be looked at: ${reasonOf(error)}`;
    return [{ what: 'secrets', isWell: false, advice }, ...checkSettings(config, null)];
  }
}

async function checkMigrations(wrangler: Wrangler): Promise<ConfigFinding[]> {
  const what = 'migrations of DB';
  const query = ['--remote', '--json', '--command', 'SELECT name FROM d1_migrations ORDER BY id'];
  try {
    const [{ results }] = Rows.parse(JSON.parse(await wrangler.read('d1', 'execute', 'DB', ...query)));
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
