import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { createSampleMatch, encodeDemo } from '#demo-writer/index.ts';
import { SAMPLED_FIELDS, sampledFlights, sampledPlayers } from '#render-host/match/entity-sampler.ts';
import { createOutfitRecorder, MOST } from '#render-host/match/outfit-recorder.ts';
import { READ_LIMITS } from '#render-host/match/read-match.ts';
import { createRoster } from '#render-host/match/roster.ts';
import { readDemo } from '#render-host/source2/demo-reader.ts';
import { createEntities, type Entities, type Entity } from '#render-host/source2/entities.ts';
import { Refusal } from '#render-host/source2/frames.ts';

const roster = createRoster();
const nothing = createEntities(SAMPLED_FIELDS);
const LOOK = 8;
/** Returns the entities of the sample at the first tick that `isWanted` accepts. */
async function standing(path: string, isWanted: (entities: Entities) => boolean): Promise<Entities> {
  const enough = new Refusal('seen');
  const ignore = () => {};
  let seen = nothing;
  const listen = (read: Entities) => ({
    fileHeader: ignore,
    serverInfo: ignore,
    userInfo: ignore,
    conVar: ignore,
    gameEventList: ignore,
    gameEvent: ignore,
    packetEnd() {
      seen = read;
      if (isWanted(read)) throw enough;
    },
  });
  await expect(readDemo(path, SAMPLED_FIELDS, listen, READ_LIMITS)).rejects.toBe(enough);
  return seen;
}

let thrown: Entities;
let body: Entity;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outfits-'));
  const path = join(folder, 'match.dem');
  await writeFile(path, encodeDemo(createSampleMatch({ rounds: 1, seed: 1 })));
  thrown = await standing(path, (entities) => [...sampledFlights(entities)].length === 1);
  await rm(folder, { recursive: true });
  const [pawn] = [...sampledPlayers(thrown)].flatMap((player) => player.pawn ?? []);
  if (pawn === undefined) throw new Error('nobody is there');
  body = pawn;
});

test.each([
  ['unknown', [null, null], [null, null]],
  ['0 for everybody, as in a deathmatch,', [0, 0], [null, null]],
  ['0 for one,', [0, 800], [0, 800]],
])('money that is %s is recorded as it may be shown', (_, sent, shown) => {
  const recorder = createOutfitRecorder();
  recorder.begin(LOOK, thrown, roster);
  for (const [player, money] of sent.entries()) recorder.put(player, thrown, body, money);
  expect(recorder.finish().outfits.map(({ money }) => money)).toEqual(shown);
});

describe('a recording of more than any match has is refused, not kept:', () => {
  it('changes of what players have', { tags: ['long'] }, () => {
    const recorder = createOutfitRecorder();
    recorder.begin(LOOK, thrown, roster);
    for (let money = 0; money < MOST.outfits; money++) recorder.put(0, thrown, body, money);
    expect(() => recorder.put(0, thrown, body, MOST.outfits)).toThrow('more than 300000 changes');
    expect(recorder.finish().outfits).toHaveLength(MOST.outfits);
  });

  it('grenades in the air', () => {
    const recorder = createOutfitRecorder();
    const throwOne = (i: number) => {
      recorder.begin(i * LOOK, thrown, roster);
      recorder.begin(i * LOOK + LOOK / 2, nothing, roster);
    };
    for (let i = 1; i <= MOST.flights; i++) throwOne(i);
    expect(() => throwOne(MOST.flights + 1)).toThrow('more than 20000 grenades');
  });

  it('places of one grenade', () => {
    const recorder = createOutfitRecorder();
    const [flight] = [...sampledFlights(thrown)];
    const move = (i: number) => {
      // The first of the offsets inside of a cell.
      if (flight) flight.entity.values[4] = i * LOOK;
      recorder.begin(i * LOOK, thrown, roster);
    };
    for (let i = 1; i <= MOST.placesOfOne; i++) move(i);
    expect(() => move(MOST.placesOfOne + 1)).toThrow('more than 2000 places');
  });

  it('places of the bomb', () => {
    // The demo writer has no bomb: an owner, three cells and three offsets, as in the game.
    const bombAt = (x: number): Entity => ({ ...body, className: 'CC4', values: [-1, 32, 32, 32, x, 0, 0] });
    const recorder = createOutfitRecorder();
    const move = (i: number) => {
      const ofClass = (name: string) => (name === 'CC4' ? [bombAt(i)] : []);
      recorder.begin(i * LOOK, { ...nothing, ofClass }, roster);
    };
    // Each sample is recorded with the next one.
    for (let i = 1; i <= MOST.bombPlaces; i++) move(i);
    expect(recorder.finish().bombPlaces).toHaveLength(MOST.bombPlaces);
    expect(() => move(MOST.bombPlaces + 1)).not.toThrow();
    expect(() => move(MOST.bombPlaces + 2)).toThrow('more than 20000 places of the bomb');
  });
});
