import {
  type Hurt,
  type Kill,
  type Match,
  type Player,
  type Round,
  TRACK_ALIVE,
  TRACK_PRESENT,
  TRACK_TEAM_CT,
  TRACK_TEAM_T,
  type WeaponFire,
} from '#render-host/match/match.ts';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import type { Shot } from '#scene/plan/shot.ts';

/** Pictures small enough for a fast test; every size in them scales with the height. */
export function buildOptions(overrides: Partial<CaptureOptions> = {}): CaptureOptions {
  return {
    fps: 10,
    width: 640,
    height: 360,
    xray: false,
    onlyDeathnotices: true,
    ownKillfeed: false,
    damageTicker: false,
    ...overrides,
  };
}

export function buildKill(overrides: Partial<Kill> = {}): Kill {
  return {
    tick: 128,
    attacker: 0,
    victim: 5,
    assister: null,
    attackerTeam: 'CT',
    victimTeam: 'T',
    weapon: 'ak47',
    headshot: false,
    wallbang: false,
    noScope: false,
    throughSmoke: false,
    attackerBlind: false,
    round: 1,
    ...overrides,
  };
}

export function buildHurt(overrides: Partial<Hurt> = {}): Hurt {
  return {
    tick: 120,
    attacker: 0,
    victim: 5,
    damage: 27,
    armorDamage: 0,
    healthLeft: 73,
    weapon: 'ak47',
    hitgroup: 2,
    ...overrides,
  };
}

export function buildShot(overrides: Partial<Shot> = {}): Shot {
  const { pov = 0 } = overrides;
  return { pov, subject: pov, startTick: 64, endTick: 256, round: 1, kills: [], speeds: [], ...overrides };
}

/** The position of a player at a tick; `yaw` in degrees. */
export interface Stand {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
  readonly yaw: number;
  readonly health?: number;
  readonly alive?: boolean;
}

export interface MatchPlan {
  readonly ticks?: number;
  readonly players?: readonly Partial<Player>[];
  readonly kills?: readonly Kill[];
  readonly hurts?: readonly Hurt[];
  readonly weaponFires?: readonly WeaponFire[];
  readonly reloads?: Match['reloads'];
  readonly blindings?: Match['blindings'];
  readonly bombActions?: Match['bombActions'];
  readonly outfits?: Match['outfits'];
  readonly flights?: Match['flights'];
  readonly bombPlaces?: Match['bombPlaces'];
  readonly sights?: Match['sights'];
  readonly effects?: Match['effects'];
  readonly rounds?: readonly Round[];
  readonly map?: string;
  /** The position of each player at each tick. Players 0 to 4 are CT, the others T. */
  readonly stand?: (player: number, tick: number) => Stand;
}

/**
 * Creates a match of ten players, 5 CT against 5 T, who walk two parallel rows towards each other for four seconds (256
 * ticks). Players die at the tick that a kill of the plan names.
 */
export function buildMatch(plan: MatchPlan = {}): Match {
  const ticks = plan.ticks ?? 320;
  const count = plan.players?.length ?? 10;
  const kills = plan.kills ?? [];
  const stand = plan.stand ?? walkRows;
  const size = count * ticks;
  const tracks = {
    firstTick: 0,
    length: ticks,
    x: new Float32Array(size),
    y: new Float32Array(size),
    z: new Float32Array(size),
    yaw: new Float32Array(size),
    pitch: new Float32Array(size),
    health: new Uint8Array(size),
    flags: new Uint8Array(size),
  };
  for (let player = 0; player < count; player++) {
    const diesAt = kills.find(({ victim }) => victim === player)?.tick ?? Infinity;
    for (let tick = 0; tick < ticks; tick++) {
      const i = player * ticks + tick;
      const { x, y, z = 0, yaw, health = 100, alive = true } = stand(player, Math.min(tick, diesAt));
      tracks.x[i] = x;
      tracks.y[i] = y;
      tracks.z[i] = z;
      tracks.yaw[i] = yaw;
      const lives = alive && tick < diesAt;
      tracks.health[i] = lives ? health : 0;
      tracks.flags[i] = TRACK_PRESENT | (lives ? TRACK_ALIVE : 0) | (player < count / 2 ? TRACK_TEAM_CT : TRACK_TEAM_T);
    }
  }
  return {
    map: plan.map ?? 'de_mirage',
    gamePatch: 14160,
    build: null,
    tickRate: 64,
    firstTick: 0,
    lastTick: ticks - 1,
    players: Array.from({ length: count }, (_, i) => ({
      steamId: `7656119800000000${i}`,
      name: `Player ${i}`,
      userId: i,
      isBot: false,
      seats: [{ sinceTick: 0, slot: i }],
      ...plan.players?.[i],
    })),
    complete: true,
    recorder: null,
    gaps: [],
    clocks: [{ tick: 0, startTick: 0, seconds: 115 }],
    otherParts: [],
    roundEvidence: { starts: [], ends: [], numbers: [] },
    rounds: plan.rounds ?? [
      {
        number: 1,
        startTick: 0,
        freezeEndTick: 0,
        endTick: null,
        officialEndTick: null,
        winner: null,
        reason: null,
        score: null,
      },
    ],
    kills,
    hurts: plan.hurts ?? [],
    weaponFires: plan.weaponFires ?? [],
    reloads: plan.reloads ?? [],
    blindings: plan.blindings ?? [],
    bombActions: plan.bombActions ?? [],
    outfits: plan.outfits ?? [],
    flights: plan.flights ?? [],
    bombPlaces: plan.bombPlaces ?? [],
    sights: plan.sights ?? [],
    effects: plan.effects ?? [],
    tracks,
  };
}

function walkRows(player: number, tick: number): Stand {
  const isCt = player < 5;
  const row = player % 5;
  const walked = tick * 1.5;
  return { x: isCt ? -700 + walked : 700 - walked, y: (row - 2) * 220, yaw: isCt ? 0 : 180 };
}
