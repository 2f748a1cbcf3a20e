import { defineConfig } from 'drizzle-kit';

/** `npm run migrations` writes the next migration from the difference between the schema and the last one. */
export default defineConfig({
  dialect: 'sqlite',
  schema: ['schema', 'usage-schema', 'operator-schema', 'webhook-secrets-schema', 'rules-schema'].map(
    (name) => `./core/storage/${name}.ts`,
  ),
  out: './migrations',
  breakpoints: false,
});
