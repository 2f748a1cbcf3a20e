import { execSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes the first migrations again from the schema, and freezes what the objects store as version 1. Only until the
 * first release. After it, a change of the schema is another migration (`npm run migrations`), and a change of stored
 * data another version. The triggers stay in their file.
 */
const TABLES = 'migrations/0000_tables.sql';
const TRIGGERS = 'migrations/0001_triggers.sql';
/** Tables without a rowid, which drizzle cannot express: rows are found by the primary key in one look-up. */
const WITHOUT_ROWID = ['clips', 'host_failures'];

const triggers = readFileSync(TRIGGERS, 'utf8');
rmSync('migrations', { recursive: true });
execSync('npx drizzle-kit generate --config tools/drizzle.config.ts --name tables', { stdio: 'inherit' });
const tables = WITHOUT_ROWID.reduce(
  (text, table) => {
    return text.replace(new RegExp(`(CREATE TABLE \`${table}\` \\(\n[^;]*\n\\));`), '$1 WITHOUT ROWID;');
  },
  readFileSync(TABLES, 'utf8'),
);
writeFileSync(TABLES, `${tables.trimEnd()}\n`);
execSync('npx drizzle-kit generate --config tools/drizzle.config.ts --custom --name triggers', { stdio: 'inherit' });
writeFileSync(TRIGGERS, triggers);
execSync('npx vitest run -u --project workers -t freezes test/durable-objects/stored-versions.test.ts', {
  stdio: 'inherit',
  env: { ...process.env, FREEZE: '1' },
});
