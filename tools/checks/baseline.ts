import { execSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Rewrites the first migrations from the schema and freezes what the objects store as version 1. Only for use before
 * the first release. After it, each change of the schema is a new migration (`npm run migrations`), and each change of
 * stored data is a new version. The file of triggers stays as it is.
 */
const TABLES = 'migrations/0000_tables.sql';
const TRIGGERS = 'migrations/0001_triggers.sql';
const META = 'migrations/meta';
/**
 * Tables without a rowid, which drizzle cannot express: a row is found by its primary key in one look-up, and writes no
 * entry of an index for that key.
 */
const WITHOUT_ROWID = ['budgets', 'clip_views', 'clips', 'day_counts', 'host_failures', 'jobs', 'usage', 'usage_days'];

const triggers = readFileSync(TRIGGERS, 'utf8');
const tablesBefore = readFileSync(TABLES, 'utf8');
const metaBefore = readdirSync(META).map((name) => ({ name, text: readFileSync(`${META}/${name}`, 'utf8') }));
rmSync('migrations', { recursive: true });
execSync('npx drizzle-kit generate --config tools/drizzle.config.ts --name tables', { stdio: 'inherit' });
const tables = WITHOUT_ROWID.reduce(
  (text, table) => {
    return text.replace(new RegExp(`(CREATE TABLE \`${table}\` \\(\n[^;]*\n\\));`), '$1 WITHOUT ROWID;');
  },
  readFileSync(TABLES, 'utf8'),
);
const tablesNow = `${tables.trimEnd()}\n`;
writeFileSync(TABLES, tablesNow);
execSync('npx drizzle-kit generate --config tools/drizzle.config.ts --custom --name triggers', { stdio: 'inherit' });
writeFileSync(TRIGGERS, triggers);
// drizzle-kit writes new ids and times on each run.
if (tablesNow === tablesBefore) for (const { name, text } of metaBefore) writeFileSync(`${META}/${name}`, text);
execSync('npx vitest run -u --project workers -t freezes test/durable-objects/render-job.test.ts', {
  stdio: 'inherit',
  env: { ...process.env, FREEZE: '1' },
});
