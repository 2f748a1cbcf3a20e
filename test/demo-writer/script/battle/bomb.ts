import { type AreaName, SITES, type SiteIndex } from '../map/areas.ts';
import { areaAt } from '../map/navigation.ts';
import { TICK_RATE } from '../scripted-match.ts';
import { type Field, isOnErrand, living } from './field.ts';
import { distanceBetween, type Fighter, isAlive } from './fighter.ts';
import { isVisible } from './vision.ts';

const PLANT_TICKS = Math.round(3.2 * TICK_RATE);
const DEFUSE_TICKS = 5 * TICK_RATE;
const FUSE_SECONDS = 40;
const DEFUSE_REACH = 60;

/** The numbers of the sites in the game's events. */
const SITE_NUMBER: Readonly<Record<SiteIndex, number>> = { 0: 209, 1: 210 };

/** Returns the site of a position. */
export function siteAt(x: number, y: number): SiteIndex | null {
  const { name } = areaAt(x, y);
  const index = SITES.findIndex((areas: readonly AreaName[]) => areas.includes(name));
  return index === 0 || index === 1 ? index : null;
}

/** Plants, defuses and explodes. The caller reads the round's end from the bomb's state. */
export function advanceBomb(field: Field): void {
  passOn(field);
  if (field.work !== null && field.tick >= field.work.doneAt) finishWork(field);
  if (field.bomb?.state === 'ticking' && field.tick >= field.bomb.blowTick) explode(field);
  if (field.work !== null || field.decided) return;
  if (field.bomb === null) startPlant(field);
  else if (field.bomb.state === 'ticking') startDefuse(field);
}

/** The nearest attacker takes the bomb of a dead carrier. */
function passOn(field: Field): void {
  const { carrier } = field;
  if (carrier === null || isAlive(carrier) || field.bomb !== null) return;
  const [next] = living(field, 'T').sort((a, b) => distanceBetween(a, carrier) - distanceBetween(b, carrier));
  field.carrier = next ?? null;
}

function startPlant(field: Field): void {
  const { carrier, plan } = field;
  const ready = field.tick >= field.liveTick + plan.gatherTicks && plan.hero === null;
  if (carrier === null || !ready || !(isOnErrand(field, carrier) || isQuiet(field, carrier))) return;
  if (siteAt(carrier.x, carrier.y) !== plan.site || carrier.route.length > 0) return;
  begin(field, 'plant', carrier, PLANT_TICKS);
  field.events.push({ name: 'bomb_beginplant', values: { userid: carrier.userId, site: SITE_NUMBER[plan.site] } });
}

function startDefuse(field: Field): void {
  const { bomb } = field;
  if (bomb === null) return;
  const defuser = living(field, 'CT').find(
    (fighter) => distanceBetween(fighter, bomb) < DEFUSE_REACH && isQuiet(field, fighter),
  );
  if (defuser === undefined) return;
  begin(field, 'defuse', defuser, DEFUSE_TICKS);
  defuser.defusing = true;
  field.events.push({ name: 'bomb_begindefuse', values: { userid: defuser.userId, haskit: true } });
}

function begin(field: Field, kind: 'plant' | 'defuse', by: Fighter, ticks: number): void {
  by.route = [];
  by.ducking = true;
  field.work = { kind, by, doneAt: field.tick + ticks };
}

function finishWork(field: Field): void {
  const { work, plan, bomb } = field;
  field.work = null;
  if (work === null) return;
  work.by.ducking = false;
  work.by.defusing = false;
  const userid = work.by.userId;
  if (work.kind === 'plant') {
    const { x, y, z } = work.by;
    field.events.push({ name: 'bomb_planted', values: { userid, site: SITE_NUMBER[plan.site] } });
    const blowTick = field.tick + FUSE_SECONDS * TICK_RATE;
    const plant = { planter: userid, site: plan.site, blowTick, fuseSeconds: FUSE_SECONDS };
    field.bomb = { ...plant, x, y, z, state: 'ticking' };
    field.carrier = null;
    for (const fighter of field.fighters) fighter.holdUntil = 0;
  } else if (bomb !== null) {
    field.events.push({ name: 'bomb_defused', values: { userid, site: SITE_NUMBER[plan.site] } });
    field.bomb = { ...bomb, state: 'defused' };
  }
}

function explode(field: Field): void {
  const { bomb, plan } = field;
  if (bomb === null) return;
  if (field.work?.kind === 'defuse') {
    field.work.by.defusing = false;
    field.work = null;
  }
  field.events.push({ name: 'bomb_exploded', values: { userid: bomb.planter, site: SITE_NUMBER[plan.site] } });
  field.bomb = { ...bomb, state: 'exploded' };
}

/** Whether the fighter fights nobody and sees no enemy. */
function isQuiet(field: Field, fighter: Fighter): boolean {
  if (fighter.target !== null) return false;
  return !field.fighters.some(
    (enemy) => enemy.team !== fighter.team && isAlive(enemy) && isVisible(field, fighter, enemy),
  );
}
