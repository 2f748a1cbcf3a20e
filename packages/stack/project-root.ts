import { fileURLToPath } from 'node:url';

/** The checkout this file lies in, with a slash at its end. */
export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url));
