import { describe, expect, it } from 'vitest';
import { databasesOf, isDatabaseName, jobIdIn, PRIMARY } from '#domain/database-names.ts';
import { isUuid } from '#domain/ids.ts';

const ID = '3f0a1c2b-9d8e-4f70-8a6b-1c2d3e4f5a6b';
const OTHERS = Array.from({ length: 254 }, (_, i) => `DB_${i + 2}`);

describe('the database of a job', () => {
  it('is in the last two digits of its id, except for the primary one', () => {
    for (const name of OTHERS) {
      const id = jobIdIn(name, ID);
      expect(isUuid(id)).toBe(true);
      expect(id.slice(0, -2)).toBe(ID.slice(0, -2));
      expect(databasesOf(id, [PRIMARY, ...OTHERS])).toEqual([name, PRIMARY]);
    }
    expect(jobIdIn(PRIMARY, ID)).toBe(ID);
  });

  it('is the first where the digits name none that is bound', () => {
    expect(databasesOf(jobIdIn('DB_7', ID), [PRIMARY, 'DB_2'])).toEqual([PRIMARY]);
    for (const digits of ['00', '01'])
      expect(databasesOf(ID.slice(0, -2) + digits, [PRIMARY, 'DB_2'])).toEqual([PRIMARY]);
  });

  it('has a name of two hexadecimal digits at most', () => {
    expect([PRIMARY, ...OTHERS].every(isDatabaseName)).toBe(true);
    for (const name of [
      'DB_0',
      'DB_1',
      'DB_02',
      'DB_256',
      'DB_300',
      'DB_1000',
      'DB_',
      'DB2',
      'xDB_2',
      'DB_2x',
      'CLIPS',
    ]) {
      expect(isDatabaseName(name), name).toBe(false);
    }
  });
});
