import { defineConfig } from 'drizzle-kit';

/** `npm run migrations` writes the next migration from the difference between the schema and the last one. */
export default defineConfig({
  dialect: 'sqlite',
  schema: './core/storage/schema/*.ts',
  out: './migrations',
  breakpoints: false,
});
