import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_WORK_DIR } from '../machine/work-dir.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the file that `register` writes the host's token to. */
export function tokenFileOf({ TICKREEL_HOST_TOKEN_FILE: file, TICKREEL_WORK_DIR: workDir }: Environment): string {
  return file || join(workDir || DEFAULT_WORK_DIR, 'host-token');
}

/** Returns the environment with the token of this machine's registration, unless it has one itself. */
export function withStoredToken<T extends Environment>(environment: T): T {
  if (environment.TICKREEL_HOST_TOKEN) return environment;
  try {
    return { ...environment, TICKREEL_HOST_TOKEN: readFileSync(tokenFileOf(environment), 'utf8').trim() };
  } catch {
    return environment;
  }
}
