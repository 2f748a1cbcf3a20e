import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { TimelineSegment } from '../index.ts';

/** Parsers of option values. Each throws an `InvalidArgumentError`, which names the option. */

export function wholeNumber(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('It has to be a whole number.');
  return Number(text);
}

export function decimal(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It has to be a number.');
  return Number(text);
}

export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It has to be JSON; a text is written in quotes.');
  }
}

/** Returns the value of a JSON file. */
export function jsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

export function objectFile(path: string): object {
  const value = jsonFile(path);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new InvalidArgumentError('It has to be a JSON object.');
}

/** Parses `76561198000000001:12800-13440`, or the same with `@0.5` for its speed, and appends it to `before`. */
export function segment(text: string, before: readonly TimelineSegment[] = []): TimelineSegment[] {
  const [, steam64_id, start, end, speed] = /^(\d+):(\d+)-(\d+)(?:@(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  if (steam64_id === undefined)
    throw new InvalidArgumentError('It has to be PLAYER:START-END or PLAYER:START-END@SPEED, in ticks.');
  const range = { steam64_id, start_tick: Number(start), end_tick: Number(end) };
  return [...before, speed === undefined ? range : { ...range, speed: Number(speed) }];
}

/** Parses `name=value` and adds it to `before`. */
export function setting(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^(\w+)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It has to be NAME=VALUE.');
  return { ...before, [name]: value };
}
