import { composeMatch } from '#demo-writer/index.ts';

/** A match whose only highlight is a kill. Until its clip ends, the fake game's squares under the killfeed stay. */
export const KNIFE_KILL = composeMatch({
  rounds: [{ startTick: 10, freezeEndTick: 20 }],
  kills: [{ tick: 600, attacker: 2, victim: 7, weapon: 'knife' }],
  lastTick: 1200,
});
