import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_ROUTES } from '#client/shapes.ts';
import { ERROR_CODES } from '#domain/failure/codes.ts';
import { JOB_STATUSES } from '#domain/job/job.ts';
import { ClipView } from '#protocol/clip/clip-view.ts';
import { SubmitRequest } from '#protocol/clip/submit.ts';
import { JobView } from '#protocol/job/job-view.ts';
import { WebhookPayload } from '#protocol/job/webhook.ts';
import { PROBLEMS } from '#protocol/lib/problem.ts';

const TEXT = readFileSync(new URL('../docs/contract.md', import.meta.url), 'utf8');

/**
 * Returns the cells of the tables of a section without the head rows. The section is found by the start of its heading.
 */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = TEXT.split(new RegExp(`^#+ ${heading.replaceAll('.', '\\.')}.*$`, 'm'));
  const [body = ''] = section.split(/^#/m);
  return body
    .split('\n\n')
    .filter((block) => block.startsWith('|'))
    .flatMap((table) => table.trim().split('\n').slice(2))
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** Returns the names in a column. One cell may have several. */
const namesIn = (rows: readonly string[][], column = 0) =>
  rows.flatMap((row) => [...(row[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name));

const sorted = (names: readonly unknown[]) => [...names].sort();

describe('docs/contract.md has, no more and no less,', () => {
  it.each([
    ['the fields of a job', '2.1', Object.keys(JobView.shape)],
    ['the states of a job', '3.1', JOB_STATUSES],
  ])('%s', (_, heading, expected) => {
    const first = heading === '3.1' ? rowsOf(heading).filter((row) => row.length === 2) : rowsOf(heading);
    expect(sorted(namesIn(first))).toEqual(sorted(expected));
  });

  it('the fields of a clip', () => {
    const rows = rowsOf('2.3');
    expect(sorted(namesIn(rows))).toEqual(sorted(Object.keys(ClipView.shape)));
  });

  it('the fields of a submit', () => {
    const rows = rowsOf('4.1').filter((row) => row.length === 3);
    expect(namesIn(rows).sort()).toEqual(Object.keys(SubmitRequest.shape).sort());
  });

  it('the fields of a webhook', () => {
    const rows = rowsOf('6.').filter((row) => row.length === 3);
    expect(sorted(namesIn(rows))).toEqual(sorted(Object.keys(WebhookPayload.shape)));
  });

  it('endpoints that there are', () => {
    const lines = rowsOf('4.').map(([method, path]) => `${method} ${path?.replaceAll('`', '')}`);
    expect(lines).toHaveLength(8);
    expect(Object.values(API_ROUTES)).toEqual(expect.arrayContaining(lines));
  });

  it('the kinds of problem that clients meet, with their status', () => {
    const rows = rowsOf('7.1').map(([status, kind]) => [kind?.replaceAll('`', ''), Number(status)]);
    const ofHosts = ['stale_lease', 'agent_outdated', 'demo_refused'];
    const kinds = Object.entries(PROBLEMS).filter(([kind]) => !ofHosts.includes(kind));
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(kinds.map(([kind, { status }]) => [kind, status])));
  });

  it('the codes of failed jobs, and whether they are retried', () => {
    const rows = rowsOf('7.2').map(([code, retried]) => [code?.replaceAll('`', ''), retried]);
    const codes = Object.entries(ERROR_CODES).map(([code, { retryable }]) => [code, retryable ? 'yes' : 'no']);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(codes));
  });
});
