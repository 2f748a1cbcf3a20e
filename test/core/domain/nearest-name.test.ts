import { expect, it } from 'vitest';
import { didYouMean } from '#domain/nearest-name.ts';

const KNOWN = ['PURGE_TOKEN', 'PURGE_ZONE_ID', 'ADMIN_TOKEN', 'LIMIT_JOBS', 'LIMIT_JOBS_DAY', ''];

it.each([
  ['PURGE_TOKEN', 'PURGE_TOKEN'],
  ['PURGE_TOKN', 'PURGE_TOKEN'],
  ['PURGE_TTOKEN', 'PURGE_TOKEN'],
  ['PURGE_TOKEM', 'PURGE_TOKEN'],
  ['PURGE_ZONEID', 'PURGE_ZONE_ID'],
  ['LIMIT_JOBS_D', 'LIMIT_JOBS'],
  ['LIMIT_JOBS_DA', 'LIMIT_JOBS_DAY'],
  ['ADMIN_TOKENabcd', 'ADMIN_TOKEN'],
  ['ADMIN_TOKENabcde', null],
  ['abcd', null],
  ['purge_token', 'PURGE_TOKEN'],
  ['LIMIT', null],
  ['SOMETHING_ELSE', null],
])('%s was meant as %j', (name, meant) => {
  expect(didYouMean(name, KNOWN)).toBe(meant === null ? '' : `: did you mean ${meant}?`);
});
