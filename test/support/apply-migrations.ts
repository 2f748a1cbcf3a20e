import type { D1Migration } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

const { DB, TEST_MIGRATIONS } = env as unknown as { DB: D1Database; TEST_MIGRATIONS: D1Migration[] };
const queries = TEST_MIGRATIONS.flatMap((migration) => migration.queries);
// One transaction: one statement at a time takes longer than most tests.
await DB.batch(queries.map((query) => DB.prepare(query)));
