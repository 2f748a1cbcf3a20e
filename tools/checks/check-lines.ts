import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The formatter does not wrap comments and Markdown. */
const WIDTH = 120;
const IS_COMMENT = /^\s*(\/\/|\/\*|\*\s)/;

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);
const long = files.flatMap((file) => {
  const lines = readFileSync(file, 'utf8').split('\n');
  const isHeld = file.endsWith('.md') ? isProse() : (line: string) => IS_COMMENT.test(line);
  return lines
    .map((line, i) => ({ where: `${file}:${i + 1}`, width: [...line].length, isHeld: isHeld(line) }))
    .filter((line) => line.isHeld && line.width > WIDTH);
});
for (const { where, width } of long) process.stderr.write(`${where}: ${width} columns\n`);
if (long.length > 0) process.exitCode = 1;

/** Rows of tables cannot be wrapped, and fenced text stays as it is. Called line by line, in order. */
function isProse(): (line: string) => boolean {
  let isFenced = false;
  return (line) => {
    if (line.startsWith('```')) isFenced = !isFenced;
    return !isFenced && !line.startsWith('|');
  };
}
