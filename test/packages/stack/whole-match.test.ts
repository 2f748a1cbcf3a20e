import { test } from 'vitest';
import { playWholeMatch } from '../../soak/whole-match.ts';

/** A short form of `npx node test/soak/cli.ts whole`: six rounds, the last two in overtime. */
test.runIf(process.platform === 'linux')('a heavy match goes through the whole service as it was played', () =>
  playWholeMatch({ fps: 5, rounds: 6, regularRounds: 4, overtimeRounds: 2 }, () => {}),
);
