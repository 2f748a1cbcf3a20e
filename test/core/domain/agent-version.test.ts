import { expect, it } from 'vitest';
import { isOlder } from '#domain/agent-version.ts';

it.each([
  ['1.3.9', '1.4.0', true],
  ['1.4.0', '1.4.0', false],
  ['1.10.0', '1.9.0', false],
  ['2.0.0', '1.9.9', false],
  ['0.9.9', '1', true],
  ['1', '1.0.1', true],
  ['1.0.1', '1', false],
  ['v1.4.0', '1.4', false],
  ['1.4.0-rc.1', '1.4.0', false],
  ['1.3.0+build7', '1.4.0', true],
  ['test', '0', true],
  ['', '0.0.1', true],
])('%s is older than %s: %s', (version, least, older) => {
  expect(isOlder(version, least)).toBe(older);
});
