import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '#render-host/machine/child-environment.ts';
import type { Outcome, Task } from './protocol.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const BUILD_AND_RUN = 'made=$(mktemp -d); trap "rm -r $made" EXIT; go test -c -o "$made/driver" . && "$made/driver"';

interface DriverProgram {
  /** A program without which it cannot be. */
  readonly needs: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Its types drop fields that they do not know, and answers have all fields. */
  readonly isTyped?: boolean;
}

/** How the driver of each language is started. */
const LANGUAGES: Readonly<Record<Language, DriverProgram>> = {
  TypeScript: { needs: 'node', program: process.execPath, args: [pathOf('drivers/typescript-driver.ts')] },
  Python: { needs: 'python3', program: 'python3', args: ['-I', '-B', pathOf('drivers/python-driver.py')] },
  Go: { needs: 'go', program: 'sh', args: ['-c', BUILD_AND_RUN], cwd: pathOf('../../packages/go'), isTyped: true },
};
export type Language = 'TypeScript' | 'Python' | 'Go';

/** The languages whose programs this machine has; in CI it must have all. */
export const LANGUAGES_HERE = (Object.keys(LANGUAGES) as Language[]).filter(
  (language) => process.env.CI || spawnSync(LANGUAGES[language].needs, ['--help']).error === undefined,
);

/** Starts a driver. It works on one task after the other. */
export function startDriver(language: Language) {
  const { program, args, cwd, isTyped = false } = LANGUAGES[language];
  const { PATH, HOME, GOCACHE } = process.env;
  const child = spawn(program, args, {
    ...(cwd && { cwd }),
    env: { ...bareEnvironment(), PATH, HOME, GOCACHE, GOPROXY: 'off', TICKREEL_DRIVER: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  return {
    isTyped,
    run: (task: Task): Promise<Outcome> => {
      child.stdin.write(`${JSON.stringify(task)}\n`);
      const outcome = last.then(async () => {
        const { value, done } = await lines.next();
        if (done) throw new Error(`the driver of ${language} has ended`);
        return JSON.parse(value) as Outcome;
      });
      last = outcome.catch(() => {});
      return outcome;
    },
    stop: () => child.stdin.end(),
  };
}
