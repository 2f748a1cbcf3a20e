import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The formatter wraps code and leaves comments as they are. */
const WIDTH = 120;
const IS_COMMENT = /^\s*(\/\/|\/\*|\*\s)/;
/** To be wrapped with the second pass through these rooms. */
const IS_LATER = /^(test\/)?(render-host|demo-writer)\//;

const files = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && !IS_LATER.test(file));
const long = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line, i) => ({ where: `${file}:${i + 1}`, line, width: [...line].length }))
    .filter(({ line, width }) => width > WIDTH && IS_COMMENT.test(line)),
);
for (const { where, width } of long) process.stderr.write(`${where}: a comment of ${width} columns\n`);
if (long.length > 0) process.exitCode = 1;
