import { AREAS, type AreaName, ATTACK_PATHS, DEFENCE_POSTS, SITES, type SiteIndex, SPAWN_AREA } from '../map/areas.ts';
import { areaOf, type FloorPoint, pointIn } from '../map/navigation.ts';
import { isFloor } from '../map/sight.ts';
import { type Team, TICK_RATE } from '../scripted-match.ts';
import { siteAt } from './bomb.ts';
import { type Field, living, otherTeam } from './field.ts';
import { distanceBetween, type Fighter } from './fighter.ts';
import { sendTo } from './movement.ts';

/** Ticks after which all players search for the enemy. */
const HUNT_AFTER_TICKS = 62 * TICK_RATE;
/** The same in a round of one player: soon after their team has left. */
const HERO_HUNT_TICKS = 6 * TICK_RATE;
const HUNT_JITTER = 160;
const DEFUSE_JITTER = 30;

/** Gives each waiting fighter a destination. */
export function giveOrders(field: Field): void {
  noticeAttack(field);
  for (const fighter of field.fighters) {
    if (fighter.health <= 0 || fighter.target !== null || fighter.route.length > 0) continue;
    if (field.work?.by === fighter || field.tick < fighter.holdUntil || field.tick < field.liveTick) continue;
    const order = nextOrder(field, fighter);
    sendTo(field, fighter, order.to);
    fighter.lookAt = order.lookAt;
    fighter.holdUntil = field.tick + order.holdTicks;
  }
}

/** Makes the fighter choose again at once. */
function disturb(fighter: Fighter): void {
  fighter.holdUntil = 0;
  fighter.route = [];
}

interface Order {
  readonly to: FloorPoint;
  /** How long the fighter holds the place, from now on, including the way. */
  readonly holdTicks: number;
  readonly lookAt: FloorPoint | null;
}

function nextOrder(field: Field, fighter: Fighter): Order {
  if (field.warmup) return strollTo(field, AREAS[field.random.whole(0, AREAS.length - 1)]?.name ?? 'mid');
  if (shouldHunt(field, fighter)) {
    const prey = nearestEnemy(field, fighter);
    if (prey !== undefined) return huntFor(field, prey);
  }
  if (isLost(field, fighter.team)) return strollTo(field, SPAWN_AREA[fighter.team]);
  const { bomb } = field;
  if (bomb !== null) return fighter.team === 'CT' ? retake(field, bomb) : guard(field, fighter, field.plan.site);
  return fighter.team === 'T' ? attack(field, fighter) : defend(field, fighter);
}

function shouldHunt(field: Field, fighter: Fighter): boolean {
  const age = field.tick - field.liveTick;
  if (field.bomb !== null || isLost(field, otherTeam(fighter.team))) return false;
  if (field.plan.hero === fighter.slot) return age > field.plan.gatherTicks + HERO_HUNT_TICKS;
  return age > HUNT_AFTER_TICKS && (fighter.team === 'CT' || field.plan.hero !== null || fighter !== field.carrier);
}

function huntFor(field: Field, prey: Fighter): Order {
  return { to: near(field, prey, HUNT_JITTER), holdTicks: TICK_RATE, lookAt: prey };
}

/** Returns a place within `reach` of another, or that place if a wall is in the way. */
function near(field: Field, { x, y }: FloorPoint, reach: number): FloorPoint {
  const { random } = field;
  const place = { x: x + random.between(-reach, reach), y: y + random.between(-reach, reach) };
  return isFloor(place.x, place.y) ? place : { x, y };
}

/** Attackers gather on their way, then enter the site. The carrier goes to where it can plant. */
function attack(field: Field, fighter: Fighter): Order {
  const { plan, random } = field;
  const paths = ATTACK_PATHS[plan.site];
  const path = paths[fighter.role % paths.length] ?? paths[0];
  const age = field.tick - field.liveTick;
  if (age >= plan.gatherTicks || path === undefined) return guard(field, fighter, plan.site);
  const last = path.length - 1;
  // Walking up the path takes as long as gathering, because early on nobody holds its far end.
  const reached = Math.min(last, Math.floor((age / plan.gatherTicks) * (last + 2)));
  const area = areaOf(path[reached] ?? path[0]);
  const holdTicks = random.whole(2 * TICK_RATE, 5 * TICK_RATE);
  const untilGo = plan.gatherTicks - age + random.whole(0, TICK_RATE);
  return { to: pointIn(area, random), holdTicks: Math.min(holdTicks, untilGo), lookAt: centreOf(SITES[plan.site][0]) };
}

function guard(field: Field, fighter: Fighter, site: SiteIndex): Order {
  const { random } = field;
  const area = areaOf(random.pick(SITES[site]));
  const holdTicks = fighter === field.carrier ? 0 : random.whole(3 * TICK_RATE, 7 * TICK_RATE);
  return { to: pointIn(area, random), holdTicks, lookAt: lookout(field, fighter, site) };
}

function defend(field: Field, fighter: Fighter): Order {
  const { random, alarm } = field;
  const post = DEFENCE_POSTS[fighter.role % DEFENCE_POSTS.length] ?? DEFENCE_POSTS[0];
  if (post === undefined) throw new Error('the map has no posts');
  if (alarm !== null && alarm !== post.site) return guard(field, fighter, alarm);
  const area = areaOf(random.pick(post.areas));
  const holdTicks = random.whole(3 * TICK_RATE, 9 * TICK_RATE);
  return { to: pointIn(area, random), holdTicks, lookAt: lookout(field, fighter, post.site) };
}

/** Whether too few face too many, so that they save their weapons. */
function isLost(field: Field, team: Team): boolean {
  return field.plan.hero === null && living(field, otherTeam(team)).length >= 2 * living(field, team).length;
}

function retake(field: Field, bomb: FloorPoint): Order {
  return { to: near(field, bomb, DEFUSE_JITTER), holdTicks: TICK_RATE, lookAt: null };
}

function strollTo(field: Field, name: AreaName): Order {
  return { to: pointIn(areaOf(name), field.random), holdTicks: field.random.whole(0, 2 * TICK_RATE), lookAt: null };
}

/** Returns where the other side would come from. */
function lookout(field: Field, fighter: Fighter, site: SiteIndex): FloorPoint {
  const paths = ATTACK_PATHS[site];
  const path = paths[field.random.whole(0, paths.length - 1)] ?? paths[0];
  const end = path?.[path.length - 1];
  if (fighter.team === 'T') return centreOf(site === 0 ? 'ticket' : 'market');
  return centreOf(end ?? 'mid');
}

function centreOf(name: AreaName): FloorPoint {
  const area = areaOf(name);
  return { x: (area.west + area.east) / 2, y: (area.south + area.north) / 2 };
}

function nearestEnemy(field: Field, fighter: Fighter): Fighter | undefined {
  return living(field, otherTeam(fighter.team)).sort(
    (a, b) => distanceBetween(fighter, a) - distanceBetween(fighter, b),
  )[0];
}

/** Defenders notice an attack once three attackers are in a site. Those of the other site then come. */
function noticeAttack(field: Field): void {
  if (field.warmup || field.alarm !== null || field.tick % TICK_RATE !== 0) return;
  const { site } = field.plan;
  const inside = living(field, 'T').filter((fighter) => siteAt(fighter.x, fighter.y) === site);
  if (inside.length < 3 && field.bomb === null) return;
  field.alarm = site;
  for (const fighter of living(field, 'CT')) if (fighter.target === null) disturb(fighter);
}
