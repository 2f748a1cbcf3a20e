import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDemo } from '#render-host/match/parse-demo.ts';
import { planShots } from '#render-host/plan/plan-shots.ts';
import { PLAIN_KILLS } from '#test/support/plain-order.ts';
import { HOSTILE_DEMOS, mutateDemo } from './hostile-demos.ts';
import { composedDemo, writeTestFile } from './real-demos.ts';

/** More than any of them needs. One that is killed for its time or memory has passed its limit. */
const LIMITS = { timeoutMs: 60_000, memoryMegabytes: 1500 };

const parse = (demoPath: string) =>
  parseDemo({ demoPath, workDir: dirname(demoPath), signal: new AbortController().signal, limits: LIMITS });

describe('a recording made to break the parser is stopped by what is wrong with it', () => {
  test.for(HOSTILE_DEMOS.filter(({ isHeavy }) => !isHeavy))('$what: $end', async ({ make, end }) => {
    const result = await parse(await writeTestFile(make()));
    expect(result.ok ? 'ok' : result.code).toBe(end);
    if (result.ok) return;
    expect(result.detail).not.toMatch(/no end of parsing|out of memory|process died/);
    expect(result.detail).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });
});

test.each(Array.from({ length: 12 }, (_, seed) => [seed]))(
  'a recording changed at random (seed %i) is read, or refused',
  async (seed) => {
    const outline = { rounds: [{ startTick: 10, endTick: 300 }], kills: [{ tick: 100, attacker: 0, victim: 5 }] };
    const base = await readFile(await composedDemo(outline));
    const result = await parse(await writeTestFile(mutateDemo(base, seed)));
    if (!result.ok) expect(result.detail).not.toMatch(/no end of parsing|out of memory|process died/);
    else {
      const [first] = result.match.players;
      const steam64Id = first?.steamId ?? '';
      const selection = { ...PLAIN_KILLS, steam64Id, round: null, preKillPadding: 3, postKillPadding: 2 };
      expect(typeof planShots(result.match, selection).ok).toBe('boolean');
    }
  },
);
