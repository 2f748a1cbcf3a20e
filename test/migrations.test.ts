import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { migrationFiles, statementsOf } from '#stack/migrate.ts';

const files = await migrationFiles();
const withTriggers = files.filter(({ text }) => /\btrigger\b/i.test(text));

/** D1 splits a file on its server, and breaks triggers of several lines, lower-case `begin`, and CRLF. */
describe('a migration', () => {
  it('with triggers has one on each line and nothing else', () => {
    expect(withTriggers.map(({ name }) => name)).toContain('0001_triggers.sql');
    for (const { text } of withTriggers) {
      for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^CREATE TRIGGER `\w+` .* BEGIN .*; END;$/);
    }
  });

  it('ends its lines with LF on every machine', () => {
    expect(readFileSync('.gitattributes', 'utf8').split('\n')).toContain('*.sql text eol=lf');
    expect(files.filter(({ text }) => text.includes('\r'))).toEqual([]);
  });

  it('is split into its statements', () => {
    const database = new DatabaseSync(':memory:');
    for (const statement of files.flatMap(({ text }) => statementsOf(text))) database.prepare(statement).run();
    const names = (sql: string) => database.prepare(`SELECT name FROM sqlite_schema WHERE ${sql}`).all();
    expect(names("type = 'trigger'")).toHaveLength(withTriggers.flatMap(({ text }) => statementsOf(text)).length);
    const rowless = names("type = 'table' AND sql LIKE '%) WITHOUT ROWID'");
    const frequent = [
      'account_sums',
      'clip_views',
      'clips',
      'day_counts',
      'host_failures',
      'jobs',
      'usage',
      'usage_days',
    ];
    expect(rowless.map(({ name }) => name).sort()).toEqual(frequent);
  });
});
