import type { MatchOutline } from './composed-outline.ts';
import { type ScriptedState, type Team, TICK_RATE } from './scripted-match.ts';

const FULL_HEALTH = 100;
const MONEY = 800;

const HEIGHT = 64;
const CIRCLE_RADIUS = 160;
const CIRCLE_SPACING = 700;
const TURN_PER_TICK = 225 / CIRCLE_RADIUS / TICK_RATE;

type Place = Pick<ScriptedState, 'x' | 'y' | 'z' | 'yaw'>;

/**
 * Returns where a player is on their circle, looking ahead. With two floors the circles of the halves overlap, and the
 * last player of each half walks a ramp.
 */
export function walk(slot: number, tick: number, floors: MatchOutline['floors']): Place {
  if (floors !== undefined && slot % 5 === 4) return onRamp(slot, tick, floors);
  const turn = slot + tick * TURN_PER_TICK;
  const heading = ((turn * 180) / Math.PI + 90) % 360;
  return {
    z: floors?.[slot < 5 ? 0 : 1] ?? HEIGHT,
    x: ((slot % 5) - 2) * CIRCLE_SPACING + Math.cos(turn) * CIRCLE_RADIUS,
    y: (slot < 5 || floors !== undefined ? 1 : -1) * CIRCLE_SPACING + Math.sin(turn) * CIRCLE_RADIUS,
    yaw: heading > 180 ? heading - 360 : heading,
  };
}

/** Up and down a slope beside the circles, once in ten seconds. */
function onRamp(slot: number, tick: number, [lower, upper]: readonly [number, number]): Place {
  const phase = (tick / (10 * TICK_RATE) + (slot < 5 ? 0 : 0.5)) % 1;
  const part = phase < 0.5 ? phase * 2 : 2 - phase * 2;
  return {
    x: 2 * CIRCLE_SPACING + part * 900,
    y: CIRCLE_SPACING,
    z: lower + part * (upper - lower),
    yaw: phase < 0.5 ? 0 : 180,
  };
}

export function playerAt(slot: number, team: Team, tick: number, floors: MatchOutline['floors']): ScriptedState {
  return {
    team,
    ...walk(slot, tick, floors),
    pitch: 0,
    health: FULL_HEALTH,
    armor: 100,
    ducking: false,
    scoped: false,
    defusing: false,
    flashDuration: 0,
    place: '',
    score: 0,
    money: MONEY,
  };
}
