import type { D1Migration } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

const { DB, DB_2, TEST_MIGRATIONS } = env as unknown as Record<'DB' | 'DB_2', D1Database> & {
  TEST_MIGRATIONS: D1Migration[];
};
const queries = TEST_MIGRATIONS.flatMap((migration) => migration.queries);
// Each runs in one transaction: one statement at a time takes longer than most tests.
await Promise.all([DB, DB_2].map((database) => database.batch(queries.map((query) => database.prepare(query)))));
