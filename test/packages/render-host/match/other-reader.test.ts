import { createReadStream } from 'node:fs';
import { DemoPacketType, InterceptorStage, Logger, Parser, ParserConfiguration } from '@deademx/cs2';
import { describe, expect, test } from 'vitest';
import { SAMPLED_FIELDS } from '#render-host/match/entity-sampler.ts';
import { readDemo } from '#render-host/source2/demo-reader.ts';
import { haveRealDemos, realDemo } from './real-demos.ts';

/** The values of a tick by class, entity and field, as text. */
type Values = Map<string, string>;

/** Numbers are compared as 32-bit floats. A field that was never sent is null in one reader. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '-';
  if (typeof value === 'number') return String(Math.fround(value));
  if (typeof value === 'object' && 'length' in value) return [...(value as ArrayLike<unknown>[])].map(textOf).join();
  return String(value);
}

/** Calls `put` for each sampled field of an entity. */
function putFields(className: string, index: number, fieldOf: (field: string, at: number) => unknown, to: Values) {
  for (const [at, field] of (SAMPLED_FIELDS[className] ?? []).entries()) {
    to.set(`${className} ${index} ${field}`, textOf(fieldOf(field.replace(/\[\]$/, ''), at)));
  }
}

async function readByUs(path: string, classes: readonly string[]): Promise<Map<number, Values>> {
  const ticks = new Map<number, Values>();
  const nothing = () => {};
  const ignored = { fileHeader: nothing, serverInfo: nothing, userInfo: nothing, conVar: nothing };
  await readDemo(path, SAMPLED_FIELDS, (entities) => ({
    ...{ ...ignored, gameEventList: nothing, gameEvent: nothing },
    packetEnd(tick) {
      const values: Values = new Map();
      for (const name of classes) {
        for (const entity of entities.ofClass(name))
          putFields(name, entity.index, (_, at) => entity.values[at], values);
      }
      ticks.set(tick, values);
    },
  }));
  return ticks;
}

/** Reads with `@deademx/cs2` 3.4.1, and calls `see` after each packet. */
async function readByOther(path: string, classes: readonly string[], see: (tick: number, values: Values) => void) {
  const parser = new Parser(new ParserConfiguration({ entityClasses: classes }), Logger.NOOP);
  const demo = parser.getDemo();
  parser.registerPostInterceptor(InterceptorStage.DEMO_PACKET, ({ type, tick }) => {
    if (type !== DemoPacketType.DEM_PACKET) return;
    const values: Values = new Map();
    for (const name of classes) {
      for (const entity of demo.getEntitiesByClassNameIterator(name)) {
        putFields(name, entity.index, (field) => entity.getField(field), values);
      }
    }
    see(tick, values);
  });
  await parser.parse(createReadStream(path));
}

describe.skipIf(!haveRealDemos)('every field that is read has the value that another reader finds', () => {
  // The other reader cannot decode the game rules of 14090.
  test.each([
    ['14065.dem', [], 68_080],
    ['14160.dem', [], 57_408],
    ['14090.dem', ['CCSGameRulesProxy'], 175_464],
  ])('%s: at every tick, in every entity, but of the classes %j', async (file, without: string[], count) => {
    const classes = Object.keys(SAMPLED_FIELDS).filter((name) => !without.includes(name));
    const ours = await readByUs(realDemo(file), classes);
    let equal = 0;
    const differences: string[] = [];
    await readByOther(realDemo(file), classes, (tick, theirs) => {
      const own = ours.get(tick) ?? new Map<string, string>();
      if (own.size !== theirs.size) differences.push(`tick ${tick}: ${own.size} values, not ${theirs.size}`);
      for (const [what, value] of theirs) {
        if (own.get(what) === value) equal += 1;
        else differences.push(`tick ${tick}: ${what} is ${own.get(what)}, not ${value}`);
      }
    });
    expect(differences.slice(0, 5)).toEqual([]);
    expect(equal).toBe(count);
  });
});
