import {
  addCue,
  type Cues,
  PAUSE_TICKS,
  planIncidents,
  planKill,
  planRound,
  planWarmup,
  type Stage,
} from './composed-cues.ts';
import type { MatchOutline } from './composed-outline.ts';
import { playerAt, walk } from './composed-walk.ts';
import { GAME } from './game-identity.ts';
import { ROSTER } from './roster.ts';
import { initialRules } from './rules.ts';
import type { MatchFrame, ScriptedMatch, ScriptedPlayer } from './scripted-match.ts';

/**
 * Makes a match of exactly the given rounds and kills, for tests. Each player walks a circle; the dead stay where they
 * fell until a round starts. Checks nothing, so impossible matches are possible.
 */
export function composeMatch(outline: MatchOutline): ScriptedMatch {
  const players = outline.players ?? ROSTER;
  return {
    ...GAME,
    map: outline.map ?? 'de_mirage',
    gameDirectory: outline.gameDirectory ?? GAME.gameDirectory,
    patchVersion: outline.patchVersion ?? GAME.patchVersion,
    players,
    frames: () => composedFrames(outline, players),
  };
}

function* composedFrames(outline: MatchOutline, roster: readonly ScriptedPlayer[]): Generator<MatchFrame> {
  const cues: Cues = new Map();
  const { warmupEndTick, extraEvents = [], rounds = [], kills = [], floors } = outline;
  if (warmupEndTick !== undefined) planWarmup(cues, warmupEndTick);
  planIncidents(cues, outline);
  for (const round of rounds) planRound(cues, round, roster, floors);
  for (const { tick, event } of extraEvents) addCue(cues, tick, () => [event]);
  for (const kill of kills) planKill(cues, kill, roster);

  const lastTick = outline.lastTick ?? Math.max(1, ...cues.keys()) + PAUSE_TICKS;
  const stage: Stage = {
    rules: initialRules(warmupEndTick !== undefined),
    players: roster.map((_, slot) => playerAt(slot, slot < roster.length / 2 ? 'T' : 'CT', 0, floors)),
  };
  for (let tick = 1; tick <= lastTick; tick++) {
    stage.players.forEach((player, slot) => {
      if (player.health > 0) stage.players[slot] = { ...player, ...walk(slot, tick, floors) };
    });
    const events = (cues.get(tick) ?? []).flatMap((cue) => cue(stage));
    yield { tick, players: stage.players, rules: stage.rules, projectiles: [], fires: [], bomb: null, events };
  }
}
