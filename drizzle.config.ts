import { defineConfig } from 'drizzle-kit';

/** `npm run migrations` writes the next migration from the difference between the schema and the last one. */
export default defineConfig({
  dialect: 'sqlite',
  schema: ['./storage/schema.ts', './storage/operator-schema.ts', './storage/webhook-secrets-schema.ts'],
  out: './migrations',
});
