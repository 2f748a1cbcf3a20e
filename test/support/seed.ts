import fc from 'fast-check';

/** As vitest.config.ts has it: what is drawn is the same with every `npm test`. */
fc.configureGlobal({ seed: Number(process.env.MODEL_SEED) });
