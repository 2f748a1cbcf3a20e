import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Short forms of npm scripts and benches: their arguments. DIR is a new folder. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  // First, because others read the demo that it writes. With this seed its moments are short.
  'write-demo': ['DIR/match.dem --rounds 1 --seed 3'],
  format: ['--help'],
  migrations: ['--help'],
  // It changes nothing if nothing is missing.
  'tools/checks/complete-lock.ts': [''],
  demo: [
    '--demo DIR/match.dem',
    '--demo DIR/match.dem --best 1 --fps 5 --resolution 1080 --port 0 --data DIR/data --out DIR/best.mp4',
    '--demo DIR/match.dem --player 76561199998630254 --round 1 --fps 5 --port 0 --data DIR/data --out DIR/clip.mp4',
  ],
  setup: ['--help'],
  doctor: ['--help'],
  'test/hostile/hostile-cli.ts': ['demos --mutated 2 --seed 1 --max-minutes 5 --no-crafted'],
  'conformance:host': [
    '--demo DIR/match.dem --steam64-id 76561199990417263 --only renders, --at-once 1 --patience-s 60 --hold-s 5 node docs/examples/host/host.mjs',
    '--push --only signed, node packages/render-host/main.ts',
  ],
  'tools/bench/accept.bench.ts': ['--rounds 1 --calls 3'],
  'tools/bench/viewers.bench.ts': ['--rounds 1 --seconds 0.05 --connections 2'],
  'tools/bench/cold-views.bench.ts': ['--rounds 1 --most 20'],
  'tools/bench/dispatch.bench.ts': ['--most 2000 --rounds 1 --calls 20'],
  'tools/bench/read.bench.ts': ['--rounds 1 --most 20'],
  'tools/bench/render.bench.ts': ['--height 360 --fps 5 --runs 1 --shots 1'],
};

/** Runs the short form of each command, or only of commands whose names contain one of the given words. */
const [words = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'tickreel-commands-'));
const failed: string[] = [];
const say = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  for (const [name, short] of Object.entries(COMMANDS)) {
    for (const form of short) {
      if (!name.includes(words) && name !== 'write-demo') continue;
      const args = form.replaceAll('DIR', folder).split(' ').filter(Boolean);
      const command = name.endsWith('.ts') ? ['npx', 'node', name, ...args] : ['npm', 'run', '-s', name, '--', ...args];
      const [program = '', ...rest] = command;
      const begun = performance.now();
      const { status, stdout, stderr } = spawnSync(program, rest, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        maxBuffer: 1 << 28,
        timeout: 300_000,
      });
      const seconds = ((performance.now() - begun) / 1000).toFixed(0);
      say(`${status === 0 ? 'ok  ' : 'FAIL'} ${seconds} s  ${name} ${form}`);
      if (status === 0) continue;
      failed.push(name);
      say(`${stdout}\n${stderr}`.slice(-3000));
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failed.length === 0 ? 0 : 1;
