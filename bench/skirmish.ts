import type { Hurt, Kill, MapEffect, Match, Player, WeaponFire } from '../render-host/match/match.ts';
import { TRACK_ALIVE, TRACK_PRESENT, TRACK_TEAM_CT, TRACK_TEAM_T } from '../render-host/match/match.ts';
import type { Shot } from '../render-host/plan/shot.ts';

const TICK_RATE = 64;
const NAMES = [
  'karrigan',
  'Магистр',
  'frostbyte',
  'Ωmega',
  'tiny',
  'vexx',
  'NØRDLYS',
  'a very long player name indeed',
  'k0ba',
  'Łukasz',
];
const WEAPONS = ['ak47', 'm4a1_silencer', 'awp', 'deagle', 'galilar', 'usp_silencer', 'mp9', 'ssg08', 'm4a1', 'glock'];

/** Crossings of an invented map, in game units, and which are joined. */
const NODES: readonly (readonly [x: number, y: number, z: number])[] = [
  [-1900, -1300, 0],
  [-900, -1350, 0],
  [150, -1250, 40],
  [1250, -1300, 64],
  [-1950, -350, 0],
  [-1000, -250, 60],
  [-150, -350, 90],
  [700, -300, 120],
  [1600, -350, 64],
  [-1800, 700, 128],
  [-850, 650, 128],
  [50, 600, 160],
  [900, 700, 192],
  [1750, 650, 128],
  [-1300, 1450, 192],
  [-150, 1500, 224],
  [1150, 1500, 256],
];
const EDGES: readonly (readonly [number, number])[] = [
  [0, 1],
  [1, 2],
  [2, 3],
  [0, 4],
  [1, 5],
  [2, 6],
  [3, 8],
  [4, 5],
  [5, 6],
  [6, 7],
  [7, 8],
  [4, 9],
  [5, 10],
  [6, 11],
  [7, 12],
  [8, 13],
  [9, 10],
  [10, 11],
  [11, 12],
  [12, 13],
  [9, 14],
  [14, 15],
  [11, 15],
  [15, 16],
  [12, 16],
  [13, 16],
];

/** A made-up match with plenty to draw, the same for the same seed: two teams roam an invented map; player 0 gets `kills` kills in a row. */
export function createSkirmish(
  seconds: number,
  kills: number,
  seed = 7,
): { readonly match: Match; readonly shot: Shot } {
  const random = createRandom(seed);
  const ticks = seconds * TICK_RATE;
  const size = 10 * ticks;
  const f32 = (): Float32Array => new Float32Array(size);
  const tracks = {
    firstTick: 0,
    length: ticks,
    x: f32(),
    y: f32(),
    z: f32(),
    yaw: f32(),
    pitch: f32(),
    health: new Uint8Array(size),
    flags: new Uint8Array(size),
  };
  for (let player = 0; player < 10; player++) roam(player, ticks, tracks, random);
  const events = { kills: [] as Kill[], hurts: [] as Hurt[], fires: [] as WeaponFire[] };
  const first = ticks - (kills * 2 + 6) * TICK_RATE;
  const dead = new Set<number>();
  const duel = (attacker: number, victim: number, tick: number, style: Partial<Kill>): void => {
    const weapon = WEAPONS[attacker] ?? 'ak47';
    const a = attacker * ticks + tick;
    const v = victim * ticks + tick;
    const aim =
      (Math.atan2((tracks.y[v] ?? 0) - (tracks.y[a] ?? 0), (tracks.x[v] ?? 0) - (tracks.x[a] ?? 0)) * 180) / Math.PI;
    for (let back = 45; back >= -16; back--) {
      const i = a - back;
      const pull = Math.min(1, (45 - back) / 26);
      const turn = ((((aim - (tracks.yaw[i] ?? 0) + 180) % 360) + 360) % 360) - 180;
      tracks.yaw[i] = (tracks.yaw[i] ?? 0) + turn * (back < 0 ? 1 + back / 16 : pull);
    }
    let health = 100;
    const hits = weapon === 'awp' ? 1 : 4;
    for (let n = 0; n < hits + 1; n++) {
      const at = tick - (hits - n) * 7;
      if (n > 0 || hits > 1) events.fires.push({ tick: at, player: attacker, weapon });
      if (n === 0) continue;
      const damage = n === hits ? health : 18 + ((n * 7 + victim * 3) % 14);
      health -= damage;
      events.hurts.push({
        tick: at,
        attacker,
        victim,
        damage,
        armorDamage: 4,
        healthLeft: health,
        weapon,
        hitgroup: n === hits ? 1 : 2,
      });
      tracks.health.fill(health, victim * ticks + at, (victim + 1) * ticks);
    }
    for (let i = v; i < (victim + 1) * ticks; i++) {
      tracks.flags[i] = (tracks.flags[i] ?? 0) & ~TRACK_ALIVE;
      tracks.health[i] = 0;
      for (const axis of [tracks.x, tracks.y, tracks.z]) axis[i] = axis[v] ?? 0;
    }
    dead.add(victim);
    const side = (player: number): 'CT' | 'T' => (player < 5 ? 'CT' : 'T');
    events.kills.push({
      tick,
      attacker,
      victim,
      assister: null,
      attackerTeam: side(attacker),
      victimTeam: side(victim),
      weapon,
      headshot: false,
      wallbang: false,
      noScope: false,
      throughSmoke: false,
      attackerBlind: false,
      round: 12,
      ...style,
    });
  };
  duel(6, 3, first - 40, {});
  for (let n = 0; n < kills; n++) {
    const tick = first + n * 2 * TICK_RATE;
    const near = [5, 6, 7, 8, 9]
      .filter((p) => !dead.has(p))
      .sort((p, q) => apart(tracks, ticks, 0, p, tick) - apart(tracks, ticks, 0, q, tick))[0];
    if (near === undefined) break;
    duel(0, near, tick, {
      headshot: n % 2 === 0,
      wallbang: n === 1,
      throughSmoke: n === 2,
      assister: n === 1 ? 2 : null,
    });
    if (n === 0) duel(8, 4, tick + 50, { noScope: true, attackerBlind: true });
  }
  const middle = (player: number, tick: number): { x: number; y: number; z: number } => {
    const i = player * ticks + tick;
    return { x: tracks.x[i] ?? 0, y: tracks.y[i] ?? 0, z: tracks.z[i] ?? 0 };
  };
  const here = middle(0, first);
  const effect = (kind: MapEffect['kind'], from: number, to: number, dx: number, dy: number): MapEffect => ({
    kind,
    startTick: first + from,
    endTick: first + to,
    x: here.x + dx,
    y: here.y + dy,
    z: here.z,
  });
  const startTick = first - 3 * TICK_RATE;
  const endTick = Math.min(first + (kills * 2 + 1) * TICK_RATE, ticks - 1);
  const byTick = (a: { tick: number }, b: { tick: number }): number => a.tick - b.tick;
  const match: Match = {
    map: 'de_dust2',
    tickRate: TICK_RATE,
    firstTick: 0,
    lastTick: ticks - 1,
    players: NAMES.map((name, i): Player => ({ steamId: `7656119800000000${i}`, name, userId: i, isBot: false })),
    rounds: [
      {
        number: 12,
        startTick: first - 30 * TICK_RATE,
        freezeEndTick: first - 25 * TICK_RATE,
        endTick: null,
        officialEndTick: null,
        winner: null,
      },
    ],
    kills: events.kills.sort(byTick),
    hurts: events.hurts.sort(byTick),
    weaponFires: events.fires.sort(byTick),
    effects: [
      effect('smoke', -500, 700, 520, 260),
      effect('fire', -100, 350, -420, 330),
      effect('flash', -60, -60, 150, -420),
      effect('explosion', 96, 96, 430, -330),
      effect('bomb', 60, 3000, -300, -200),
    ],
    tracks,
  };
  const own = match.kills.filter(({ attacker, tick }) => attacker === 0 && tick < endTick);
  return { match, shot: { pov: 0, startTick, endTick, round: 12, kills: own } };
}

function apart(tracks: Match['tracks'], ticks: number, a: number, b: number, tick: number): number {
  const i = a * ticks + tick;
  const k = b * ticks + tick;
  return Math.hypot((tracks.x[i] ?? 0) - (tracks.x[k] ?? 0), (tracks.y[i] ?? 0) - (tracks.y[k] ?? 0));
}

function roam(player: number, ticks: number, tracks: Match['tracks'], random: () => number): void {
  let from = Math.floor(random() * NODES.length);
  let to = from;
  let gone = 1;
  let yaw = 0;
  let sway = { x: 0, y: 0 };
  let swayTo = { x: 0, y: 0 };
  for (let tick = 0; tick < ticks; tick++) {
    const [ax, ay, az] = NODES[from] ?? [0, 0, 0];
    const [bx, by, bz] = NODES[to] ?? [0, 0, 0];
    const length = Math.max(Math.hypot(bx - ax, by - ay), 1);
    const i = player * ticks + tick;
    tracks.x[i] = ax + (bx - ax) * gone + sway.x;
    tracks.y[i] = ay + (by - ay) * gone + sway.y;
    tracks.z[i] = az + (bz - az) * gone;
    const heading = (Math.atan2(by - ay, bx - ax) * 180) / Math.PI;
    yaw += (((((heading - yaw + 180) % 360) + 360) % 360) - 180) * 0.08;
    tracks.yaw[i] = yaw + Math.sin(tick / 40 + player) * 18;
    tracks.health[i] = 100;
    tracks.flags[i] = TRACK_PRESENT | TRACK_ALIVE | (player < 5 ? TRACK_TEAM_CT : TRACK_TEAM_T);
    sway = { x: sway.x + (swayTo.x - sway.x) * 0.02, y: sway.y + (swayTo.y - sway.y) * 0.02 };
    gone += 225 / TICK_RATE / length;
    if (gone < 1) continue;
    const choices = EDGES.filter(([a, b]) => a === to || b === to)
      .map(([a, b]) => (a === to ? b : a))
      .filter((n) => n !== from);
    from = to;
    to = choices[Math.floor(random() * choices.length)] ?? from;
    gone = 0;
    swayTo = { x: (random() - 0.5) * 260, y: (random() - 0.5) * 260 };
  }
}

/** Mulberry32: small, even enough, and the same everywhere. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
