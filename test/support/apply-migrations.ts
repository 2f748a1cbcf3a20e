import { applyD1Migrations, type D1Migration } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

const { DB, DB_2, TEST_MIGRATIONS } = env as unknown as Record<'DB' | 'DB_2', D1Database> & {
  TEST_MIGRATIONS: D1Migration[];
};
await applyD1Migrations(DB, TEST_MIGRATIONS);
await applyD1Migrations(DB_2, TEST_MIGRATIONS);
