import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adminCommand } from '#client/cli/admin-commands.ts';
import { RENAMED } from '#client/cli/operation-commands.ts';
import { createProgram } from '#client/cli/program.ts';
import { OPERATOR_ROUTES } from '#client/operator-shapes.ts';
import { pathOf } from '#protocol/lib/routes.ts';
import { farEnd, json } from './far-end.ts';

beforeEach(() => {
  for (const name of ['TICKREEL_URL', 'TICKREEL_ADMIN_TOKEN']) vi.stubEnv(name, 'https://tickreel.example');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function run(args: readonly string[], ...answers: readonly unknown[]) {
  const { fetch, sent } = farEnd(...answers.map((answer) => json(answer)));
  vi.stubGlobal('fetch', fetch);
  const admin = adminCommand();
  for (const { command } of leavesOf(admin)) command.exitOverride();
  await createProgram().addCommand(admin).parseAsync(args, { from: 'user' });
  return sent.map(({ method, url, body }) => ({ asked: `${method} ${url.pathname}`, query: url.searchParams, body }));
}

interface Leaf {
  readonly words: readonly string[];
  readonly command: Command;
}
function leavesOf(command: Command, before: readonly string[] = []): Leaf[] {
  const words = [...before, command.name()];
  return command.commands.length === 0 ? [{ words, command }] : command.commands.flatMap((one) => leavesOf(one, words));
}

/** Commands that do more than one operation, or give it other fields: test/packages/stack/cli.test.ts runs them. */
const HAND_WRITTEN =
  /^admin (reindex|usage|accounts export|hosts (headers|list|show|create|pause|drain|resume|label))$/;
const BY_HAND = [
  ...['setHostHeaders', 'listHosts', 'getHost', 'createHost', 'changeHost', 'reindexJobs', 'watchOverview'],
  ...['listUsage', 'exportAccount', 'getAccountFile'],
];
const DERIVED = leavesOf(adminCommand()).filter(({ words }) => !HAND_WRITTEN.test(words.join(' ')));

/** Returns a word that the argument or the option accepts. */
function wordFor({ argChoices, parseArg }: { argChoices?: readonly string[] | undefined; parseArg?: unknown }): string {
  if (argChoices) return argChoices[0] ?? '';
  for (const word of ['word', '7', 'jobs=7', 'demos=7', 'name=7']) {
    try {
      (parseArg as ((text: string) => unknown) | undefined)?.(word);
      return word;
    } catch {}
  }
  throw new Error('There is no such word.');
}

describe('a command that is made of an operation', () => {
  const asked: string[] = [];

  it.each(DERIVED.map((leaf) => [leaf.words.join(' '), leaf] as const))(
    '%s sends all that it is given',
    async (_, leaf) => {
      const { registeredArguments, options } = leaf.command;
      const given = registeredArguments.filter(({ required }) => required).map(wordFor);
      const set = options.flatMap((option) => [option.long ?? '', ...(option.required ? [wordFor(option)] : [])]);
      const [sent] = await run([...leaf.words, ...given, ...set], { next_cursor: null });
      asked.push(sent?.asked.replace(/\/(word|7)(?=\/|$)/g, '/:') ?? '');
      const fields = [...(sent?.query.keys() ?? []), ...Object.keys(Object(sent?.body))];
      const named = options.map((option) => {
        const name = option.name().replace(/^no-/, '');
        return RENAMED[name] ?? name.replaceAll('-', '_');
      });
      expect(fields).toEqual(expect.arrayContaining(named));
      expect(given.filter((word) => !`${JSON.stringify(sent)}${sent?.query}`.includes(word))).toEqual([]);
    },
  );

  it('is there for each operation, except for those of the console', () => {
    const all = Object.entries(OPERATOR_ROUTES).filter(
      ([name, line]) => !BY_HAND.includes(name) && !line.includes('/console/'),
    );
    const lines = all.map(([, line]) => `${line.split(' ')[0]} ${pathOf(line).replace(/:\w+/g, ':')}`);
    expect([...new Set(asked)].sort()).toEqual(lines.sort());
  });

  it.each<[string, unknown]>([
    [
      'accounts update a --slots none --renderer any --labels none',
      { provisioned_slots: null, renderer: null, labels: [] },
    ],
    [
      'accounts update a --slots 4 --labels eu big --limits jobs=5 frames=6',
      { provisioned_slots: 4, labels: ['eu', 'big'], limits: { jobs: 5, frames: 6 } },
    ],
    ['accounts limit a jobs=5 submits=6', { limits: { jobs: 5, submits: 6 } }],
    ['accounts limit a', { limits: {} }],
    ['accounts update a --brand name=Acme colour=#1f4fbf', { brand: { name: 'Acme', colour: '#1f4fbf' } }],
    ['accounts suspend a', { suspended: true }],
    ['accounts resume a', { suspended: false }],
    [
      'keys create a metered --expires-at 2026-01-31T12:00:00Z',
      { kind: 'metered', expires_at: '2026-01-31T12:00:00Z' },
    ],
    [
      'keys create a metered --scope ingest --ingest-limits demos=40 mib=4096',
      { kind: 'metered', scope: 'ingest', ingest_limits: { demos: 40, mib: 4096 } },
    ],
    ['registrations create rack --uses 2 --hours 0.5', { name: 'rack', uses: 2, expires_in_hours: 0.5 }],
    ['deliveries resend j k', { job_ids: ['j', 'k'] }],
    ['clips remove c --reason Private', { reason: 'Private' }],
    ['accounts update a --suspended --hide-clips', { suspended: true, hide_clips: true }],
    ['accounts update --suspended a', { suspended: true }],
    ['accounts update a --no-suspended', { suspended: false }],
    ['deliveries resend --all --account a', { all: 'exhausted', account: 'a' }],
    ['jobs resubmit j k', { job_ids: ['j', 'k'] }],
    [
      'jobs resubmit --all --error-code cs2_unavailable --host h --build 1.41.6.0 --dry-run',
      { all: true, error_code: 'cs2_unavailable', host: 'h', build: '1.41.6.0', dry_run: true },
    ],
    ['maintenance on --reason moves --until 2026-01-31T12:00:00Z', { reason: 'moves', until: '2026-01-31T12:00:00Z' }],
    ['blocks add demos.example.org --reason asked', { address: 'demos.example.org', reason: 'asked' }],
  ])('%s', async (line, body) => {
    expect(await run(['admin', ...line.split(' ')], {})).toMatchObject([{ body }]);
  });

  it.each([
    'accounts create x --slots few',
    'accounts limit a jobs=many',
    'accounts limit a lives=9',
    'accounts erase a',
    'keys create a gold',
    'deliveries resend',
    'deliveries resend j --all',
    'jobs resubmit',
    'maintenance on',
    'blocks add demos.example.org',
  ])('is refused before it is sent: %s', async (line) => {
    await expect(run(['admin', ...line.split(' ')])).rejects.toThrow();
  });

  it.each<[string, unknown[], object[]]>([
    ['accounts cancel a', ['cursor=5'], []],
    ['clips check --resubmit', [], [{ resubmit: true }, { resubmit: true, cursor: '5' }]],
    ['jobs resubmit --all', [], [{ all: true }, { all: true, cursor: '5' }]],
  ])('adds up all pages: %s', async (line, queries, bodies) => {
    const out = vi.mocked(process.stdout.write);
    const pages = [
      { canceled: 2, failed: ['a'], next_cursor: '5' },
      { canceled: 3, failed: ['b'], next_cursor: null },
    ];
    const sent = await run(['admin', ...line.split(' ')], ...pages);
    expect(JSON.parse(String(out.mock.calls[0]?.[0]))).toEqual({ canceled: 5, failed: ['a', 'b'] });
    expect(sent.map(({ query }) => String(query)).filter(Boolean)).toEqual(queries);
    expect(sent.flatMap(({ body }) => body ?? [])).toEqual(bodies);
  });

  it.each([
    ['jobs resubmit j', 1],
    ['deliveries resend j', 1],
    ['jobs resubmit --all', 0],
  ])('exits with 1 if a job that was named is refused: %s', async (line, status) => {
    process.exitCode = 0;
    await run(['admin', ...line.split(' ')], { refused: [{ job_id: 'j', reason: 'not_found' }], next_cursor: null });
    expect(process.exitCode).toBe(status);
    process.exitCode = 0;
  });

  it('has words for each group of commands', () => {
    const groups = adminCommand().commands.filter(({ commands }) => commands.length > 0);
    expect(groups.filter((group) => group.description() === '').map((group) => group.name())).toEqual([]);
  });

  it('ends with the page under way after Ctrl-C, and says where to go on', async () => {
    const err = vi.mocked(process.stderr.write).mockImplementation((text) => {
      // Ctrl-C while the second page is under way.
      if (String(text).startsWith('2 canceled')) queueMicrotask(() => process.emit('SIGINT'));
      return true;
    });
    const page = { canceled: 2, failed: ['a'] };
    const pages = [1, 2, 3].map((at) => ({ ...page, next_cursor: `${at}` }));
    const listeners = process.listenerCount('SIGINT');
    const sent = await run(['admin', 'accounts', 'cancel', 'a'], ...pages);
    expect(sent).toHaveLength(2);
    const told = err.mock.calls.map(([text]) => String(text).trim());
    expect(told).toEqual([
      '2 canceled, 1 failed; cut short, go on with --cursor "1"',
      'stopping after this batch',
      '4 canceled, 2 failed; stopped, go on with --cursor "2"',
    ]);
    expect([process.exitCode, process.listenerCount('SIGINT')]).toEqual([130, listeners]);
    process.exitCode = 0;
  });
});

it.each(['gpu-17', 'h'])('hosts show finds a host by its name or its id: %s', async (host) => {
  const fleet = [
    { host_id: 'g', name: 'gpu-1', revoked_at: null, labels: [] },
    { host_id: 'h', name: 'gpu-17', revoked_at: null, labels: [] },
  ];
  const sent = await run(['admin', 'hosts', 'show', host], { hosts: fleet, next_cursor: null }, { host_id: 'h' });
  expect(sent.map(({ asked }) => asked)).toEqual(['GET /admin/hosts', 'GET /admin/hosts/h']);
});
