import { expect, test } from 'vitest';
import { playWholeMatch } from '../../soak/whole-match.ts';

/** A short form of `npx node test/soak/cli.ts whole`: six rounds, the last two in overtime. */
test.runIf(process.platform === 'linux')(
  'a match as heavy as a real one is read, shown and made a clip of, as it was played',
  async () => {
    const lines: string[] = [];
    await playWholeMatch({ fps: 5, rounds: 6, regularRounds: 4, overtimeRounds: 2 }, (line) => lines.push(line));
    expect(lines.join('\n')).toContain('6 rounds');
  },
);
