import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '#render-host/machine/program.ts';
import type { Outcome, Task } from './protocol.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

interface DriverProgram {
  /** A program without which it cannot be. */
  readonly needs: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** How the driver of each language is started. */
const LANGUAGES: Readonly<Record<Language, DriverProgram>> = {
  TypeScript: { needs: 'node', program: process.execPath, args: [pathOf('drivers/typescript-driver.ts')] },
  Python: { needs: 'python3', program: 'python3', args: ['-I', '-B', pathOf('drivers/python-driver.py')] },
};
export type Language = 'TypeScript' | 'Python';

/** The languages whose programs this machine has; in CI it must have all. */
export const LANGUAGES_HERE = (Object.keys(LANGUAGES) as Language[]).filter(
  (language) => process.env.CI || spawnSync(LANGUAGES[language].needs, ['--help']).error === undefined,
);

/** Starts a driver. It works on one task after the other. */
export function startDriver(language: Language) {
  const { program, args } = LANGUAGES[language];
  const { PATH, HOME } = process.env;
  const child = spawn(program, args, {
    env: { ...bareEnvironment(), PATH, HOME },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  return {
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
