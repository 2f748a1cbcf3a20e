import { secondAt, tickAt } from '#domain/clip/plan/shot-time.ts';
import type { Levels } from '#scene/match/levels.ts';
import { sideAt } from '#scene/match/match.ts';
import { bombBeeps, playerAt } from '#scene/match/player-state.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { BombAction, MapEffect, Match, PlayerIndex, Position } from '../match/match.ts';
import { createHearing, type HeardSound, OPEN_CUTOFF, type Reach } from './hearing.ts';
import { shotVoiceOf, type Voice } from './voices.ts';

interface Footstep extends Position {
  readonly tick: number;
  readonly player: PlayerIndex;
}

/** Units a second. A slower player walks or sneaks silently; a faster one was teleported. */
const RUN = { from: 140, to: 420 };
/** Units between two steps. */
const STRIDE = 88;
/** Faster up or down than on stairs: the player is in the air. */
const CLIMB = 220;
const EVERY_TICKS = 2;

/** Returns the steps of all running players in a shot, in tick order. Yields where it may pause. */
function* footstepsOf(match: Match, shot: Shot): Generator<void, Footstep[]> {
  const steps: Footstep[] = [];
  for (const player of match.players.keys()) {
    let walked = STRIDE * 0.5;
    let before = playerAt(match, player, shot.startTick);
    for (let tick = shot.startTick + EVERY_TICKS; tick < shot.endTick; tick += EVERY_TICKS) {
      yield;
      const now = playerAt(match, player, tick);
      const last = before;
      before = now;
      if (now?.alive !== true || last?.alive !== true) continue;
      const seconds = EVERY_TICKS / match.tickRate;
      const units = Math.hypot(now.x - last.x, now.y - last.y);
      const speed = units / seconds;
      if (speed < RUN.from || speed > RUN.to || Math.abs(now.z - last.z) / seconds > CLIMB) continue;
      walked += units;
      if (walked < STRIDE) continue;
      walked -= STRIDE;
      steps.push({ tick, player, x: now.x, y: now.y, z: now.z });
    }
  }
  return steps.sort((a, b) => a.tick - b.tick || a.player - b.player);
}

/** One sound of a shot, as the listener hears it. */
export interface SoundCue extends HeardSound {
  /** Seconds since the shot began; negative if the sound began before. */
  readonly at: number;
  readonly voice: Voice;
  readonly variant: number;
  /** The sound fades out after so many seconds; undefined plays all of it. */
  readonly seconds?: number;
}

/** The loudness of a voice at its source, 0 to 1, and how far it carries. */
const LOUD: Reach = { half: 900, end: 6000 };
const MIDDLE: Reach = { half: 600, end: 2600 };
const SOFT: Reach = { half: 380, end: 1150 };
const MIX: Partial<Record<Voice, readonly [gain: number, reach: Reach]>> = {
  pistol: [0.42, LOUD],
  heavyPistol: [0.56, LOUD],
  smg: [0.38, LOUD],
  rifle: [0.52, LOUD],
  sniper: [0.75, LOUD],
  shotgun: [0.62, LOUD],
  machineGun: [0.55, LOUD],
  silenced: [0.24, MIDDLE],
  hit: [0.2, MIDDLE],
  headshot: [0.3, MIDDLE],
  knife: [0.2, SOFT],
  taser: [0.35, MIDDLE],
  throw: [0.1, SOFT],
  flash: [0.55, LOUD],
  explosion: [0.75, LOUD],
  smoke: [0.2, MIDDLE],
  fire: [0.24, MIDDLE],
  decoy: [0.15, MIDDLE],
  step: [0.11, SOFT],
  reload: [0.13, SOFT],
  beep: [0.24, MIDDLE],
  planting: [0.14, SOFT],
  planted: [0.3, LOUD],
  defusing: [0.16, SOFT],
  defused: [0.3, LOUD],
  bombExplosion: [0.95, { half: 2600, end: 20_000 }],
};
/** Sounds without a position. */
const INNER: Partial<Record<Voice, number>> = { kill: 0.2, death: 0.24, ringing: 0.09, roundWon: 0.2, roundLost: 0.18 };

const BOMB_VOICES: Partial<Record<BombAction['kind'], Voice>> = {
  plant_begun: 'planting',
  planted: 'planted',
  defuse_begun: 'defusing',
  defused: 'defused',
  exploded: 'bombExplosion',
};
const EFFECT_VOICES = { smoke: 'smoke', flash: 'flash', explosion: 'explosion', fire: 'fire', decoy: 'decoy' } as const;
const THROWN = /grenade|flashbang|molotov|decoy/;
const HEAD = 1;
/** Seconds of the sound of a fire, of a part of a longer one, and of the cross-fade of two parts. */
const FIRE = { whole: 8, part: 4, overlap: 0.6 };
/** How many variants shots and steps of one kind have. */
const VARIANTS = 3;

/**
 * Computes all that is heard in a shot, in order of time. Yields where it may pause, because a long shot takes seconds.
 */
export function* cuesOf(match: Match, shot: Shot, levels: Levels): Generator<void, SoundCue[]> {
  const hearing = createHearing(match, shot, levels);
  const cues: SoundCue[] = [];
  const secondOf = (tick: number): number => secondAt(shot, tick, match.tickRate);
  const inShot = ({ tick }: { readonly tick: number }): boolean => tick >= shot.startTick && tick < shot.endTick;

  function addSound(
    tick: number,
    voice: Voice,
    from: Position | null,
    variant = 0,
    more: Partial<SoundCue> = {},
  ): void {
    const [loudness, reach] = MIX[voice] ?? [0.2, MIDDLE];
    const sound = from === null ? null : hearing.at(Math.max(tick, shot.startTick), from, reach);
    if (sound === null) return;
    cues.push({ at: secondOf(tick), voice, variant, ...sound, gain: sound.gain * loudness, ...more });
  }
  function addInnerSound(tick: number, voice: Voice, variant = 0): void {
    cues.push({ at: secondOf(tick), voice, variant, gain: INNER[voice] ?? 0.2, pan: 0, cutoff: OPEN_CUTOFF });
  }
  const at = (player: PlayerIndex | null, tick: number): Position | null =>
    player === null ? null : playerAt(match, player, tick);
  const placeOf = (player: PlayerIndex | null, tick: number): Position | null =>
    player === shot.pov ? hearing.place(tick) : at(player, tick);

  for (const { tick, player, weapon } of match.weaponFires.filter(inShot)) {
    yield;
    addSound(tick, voiceOfUse(weapon), placeOf(player, tick), (tick + player) % VARIANTS);
  }
  for (const { tick, victim, hitgroup, weapon } of match.hurts.filter(inShot)) {
    yield;
    if (/inferno|molotov|c4/.test(weapon)) continue;
    addSound(tick, hitgroup === HEAD ? 'headshot' : 'hit', at(victim, tick - 1), tick % VARIANTS);
  }
  for (const { tick, victim } of match.kills.filter(inShot)) {
    if (victim === shot.pov) addInnerSound(tick, 'death');
  }
  for (const { tick, round } of shot.kills.filter((kill) => kill.attacker === shot.pov && inShot(kill))) {
    const earlier = match.kills.filter(
      (kill) => kill.attacker === shot.pov && kill.round === round && kill.tick < tick,
    );
    addInnerSound(tick, 'kill', Math.min(earlier.length, 4));
  }
  for (const { tick, player } of match.reloads.filter(inShot)) {
    yield;
    addSound(tick, 'reload', placeOf(player, tick));
  }
  for (const { tick, player, seconds } of match.blindings.filter(inShot)) {
    if (player === shot.pov && seconds > 1) addInnerSound(tick, 'ringing');
  }
  yield* addEffects();
  for (const { tick, kind, player } of match.bombActions.filter(inShot)) {
    const voice = BOMB_VOICES[kind];
    const bomb = match.effects.findLast((effect) => effect.kind === 'bomb' && effect.startTick <= tick);
    if (voice !== undefined) addSound(tick, voice, kind === 'exploded' ? (bomb ?? null) : placeOf(player, tick));
  }
  for (const { endTick, winner } of match.rounds) {
    if (endTick === null || winner === null || !inShot({ tick: endTick })) continue;
    addInnerSound(endTick, sideAt(match.tracks, shot.pov, endTick) === winner ? 'roundWon' : 'roundLost');
  }
  for (const step of yield* footstepsOf(match, shot)) {
    yield;
    addSound(step.tick, 'step', step, (step.tick >> 1) % 4, step.player === shot.pov ? { gain: 0.055 } : {});
  }
  return cues.sort((a, b) => a.at - b.at);

  /** Adds several sounds for a fire that is shown slowly, because a sound is never stretched. */
  function* addFire(effect: MapEffect): Generator<void> {
    const [begun, over] = [secondOf(effect.startTick), secondOf(effect.endTick)];
    const length = over - begun <= FIRE.whole ? FIRE.whole : FIRE.part;
    const step = length - FIRE.overlap;
    const first = Math.max(0, Math.ceil((-begun - length) / step));
    const end = Math.min(over - FIRE.overlap, secondOf(shot.endTick));
    for (let nth = first; nth === 0 || begun + nth * step < end; nth++) {
      yield;
      const at = begun + nth * step;
      const tick = nth === 0 ? effect.startTick : tickAt(shot, at, match.tickRate);
      addSound(tick, 'fire', effect, nth && 1 + (nth % VARIANTS), { seconds: Math.min(length, over - at) });
    }
  }

  function* addEffects(): Generator<void> {
    const blasts = new Set(match.bombActions.flatMap(({ kind, tick }) => (kind === 'exploded' ? [tick] : [])));
    for (const effect of match.effects) {
      yield;
      const { kind, startTick, endTick } = effect;
      if (startTick >= shot.endTick || endTick <= shot.startTick) continue;
      if (kind === 'bomb') {
        for (const tick of bombBeeps(effect, match.tickRate)) if (inShot({ tick })) addSound(tick, 'beep', effect);
      } else if (kind === 'fire') {
        yield* addFire(effect);
      } else if (startTick >= shot.startTick && !(kind === 'explosion' && blasts.has(startTick))) {
        addSound(startTick, EFFECT_VOICES[kind], effect);
      }
    }
  }
}

function voiceOfUse(weapon: string): Voice {
  if (/knife|bayonet/.test(weapon)) return 'knife';
  if (THROWN.test(weapon)) return 'throw';
  return weapon === 'taser' ? 'taser' : shotVoiceOf(weapon);
}
