import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_WORK_DIR } from '../machine/work-dir.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where `register` leaves the host's token. */
export function tokenFileOf({ TICKREEL_HOST_TOKEN_FILE: file, TICKREEL_WORK_DIR: workDir }: Environment): string {
  return file || join(workDir || DEFAULT_WORK_DIR, 'host-token');
}

/** The environment with the token that this machine has registered for, unless it names one itself. */
export function withStoredToken<T extends Environment>(environment: T): T {
  if (environment.TICKREEL_HOST_TOKEN) return environment;
  try {
    return { ...environment, TICKREEL_HOST_TOKEN: readFileSync(tokenFileOf(environment), 'utf8').trim() };
  } catch {
    return environment;
  }
}
