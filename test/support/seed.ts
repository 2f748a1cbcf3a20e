import fc from 'fast-check';

/** The seed of vitest.config.ts: each `npm test` draws the same. */
fc.configureGlobal({ seed: Number(process.env.MODEL_SEED) });
