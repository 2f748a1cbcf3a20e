import { spawnSync } from 'node:child_process';
import { unstable_readConfig as readConfig } from 'wrangler';

/** Brings every database of `wrangler.toml` up to date. Takes what wrangler takes: `--remote`, or `--local`. */
for (const { binding } of readConfig({}).d1_databases) {
  const { status } = spawnSync('wrangler', ['d1', 'migrations', 'apply', binding, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
