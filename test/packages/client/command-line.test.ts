import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adminCommand } from '#client/cli/admin-commands.ts';
import { completions } from '#client/cli/completion-command.ts';
import { showProgress } from '#client/cli/follow-job.ts';
import { forPeople } from '#client/cli/output.ts';
import { createProgram } from '#client/cli/program.ts';
import { addSettings, neededSettings, runProgram, storeSettings } from '#client/cli/settings.ts';
import { addRequestOptions, requestOf, withDetails } from '#client/cli/submit-command.ts';
import { createTickreel, type JobProgress } from '#client/index.ts';
import { formatSigningSecret } from '#protocol/lib/signed-message.ts';
import { events, farEnd, json, problem, type Reply } from './far-end.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tickreel-client-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Runs the program of the operator against these replies. */
async function run(line: string | readonly string[], replies: readonly Reply[], { isTTY = false } = {}) {
  const { fetch, sent } = farEnd(...replies);
  vi.stubGlobal('fetch', fetch);
  vi.stubEnv('TICKREEL_URL', 'https://tickreel.test');
  vi.stubEnv('TICKREEL_API_KEY', 'a key');
  vi.stubEnv('TICKREEL_ADMIN_TOKEN', 'a token');
  // No wait before a retry.
  vi.spyOn(Math, 'random').mockReturnValue(-1);
  const [out, err] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockClear().mockReturnValue(true),
  );
  const before = process.stdout.isTTY;
  process.stdout.isTTY = isTTY;
  const args = typeof line === 'string' ? line.split(' ') : line;
  await runProgram(createProgram().addCommand(adminCommand()), ['node', 'tickreel', ...args]);
  process.stdout.isTTY = before;
  const { exitCode = 0 } = process;
  process.exitCode = undefined;
  return { sent, exitCode, out: out?.mock.calls.join('') ?? '', err: err?.mock.calls.join('') ?? '' };
}

function fileOf(value: unknown): string {
  const path = join(folder, 'file.json');
  writeFileSync(path, JSON.stringify(value));
  return path;
}

/** Returns the request of options. Throws commander's error. */
function request(...args: string[]) {
  const command = addRequestOptions(new Command().argument('[demo-url]')).exitOverride();
  command.configureOutput({ writeErr: () => {} }).parse(args, { from: 'user' });
  return requestOf(command.args[0], command.opts());
}

describe('options of a submit', () => {
  it('are the fields of a request', () => {
    expect(
      request(
        ...['https://d.example/a.dem', '--player', '1', '--round', '7', '--pre-kill-padding', '0.5'],
        ...['--post-kill-padding', '2', '--fps', '60', '--resolution', '1440', '--command', 'spec_show_xray=1'],
        ...['--command', 'cl_draw_only_deathnotices=0', '--hud-killfeed', '--hud-damage-ticker'],
        ...['--thumbnail-style', 'none', '--watermark', 'w', '--key', 'k', '--force', '--extras', '{"a":[1]}'],
        ...['--webhook-url', 'https://e.example/', '--webhook-auth-header', 'Basic x'],
        ...['--fallback', 'radar', '--pov', 'both', '--merge-gap', '5', '--kill-slowdown', '0.5'],
        ...['--intro', 'i', '--outro', 'o', '--title-card', '--card-seconds', '2.5', '--music', 'm'],
      ),
    ).toEqual({
      demo_url: 'https://d.example/a.dem',
      steam64_id: '1',
      round: 7,
      pre_kill_padding: 0.5,
      post_kill_padding: 2,
      fps: 60,
      resolution: 1440,
      commands: { spec_show_xray: '1', cl_draw_only_deathnotices: '0' },
      hud_killfeed: true,
      hud_damage_ticker: true,
      thumbnail_style: 'none',
      watermark_image_id: 'w',
      idempotency_key: 'k',
      force: true,
      extras: { a: [1] },
      webhook_url: 'https://e.example/',
      webhook_auth_header: 'Basic x',
      fallback: 'radar',
      pov: 'both',
      merge_gap: 5,
      kill_slowdown: 0.5,
      intro_asset_id: 'i',
      outro_asset_id: 'o',
      title_card: true,
      card_seconds: 2.5,
      music_asset_id: 'm',
    });
  });

  it('have a timeline of segments, or one from a file', () => {
    const timeline = [
      { steam64_id: '1', start_tick: 64, end_tick: 640 },
      { steam64_id: '2', start_tick: 700, end_tick: 900, speed: 0.5 },
    ];
    expect(request('u', '--segment', '1:64-640', '--segment', '2:700-900@0.5')).toEqual({ demo_url: 'u', timeline });
    expect(request('u', '--timeline', fileOf(timeline))).toEqual({ demo_url: 'u', timeline });
    expect(() => request('u', '--timeline', fileOf([]), '--segment', '1:64-640')).toThrow('either');
  });

  it('win over a file', () => {
    expect(request('--request', fileOf({ demo_url: 'u', fps: 30, round: 2 }), '--fps', '60')).toEqual({
      demo_url: 'u',
      fps: 60,
      round: 2,
    });
  });

  it.each([
    ['--round', 'abc'],
    ['--round', '1.5'],
    ['--round', ''],
    ['--fps', '0x10'],
    ['--pre-kill-padding', 'long'],
    ['--segment', '1:64'],
    ['--segment', '1:64-128@'],
    ['--pov', 'enemy'],
    ['--command', 'spec_show_xray'],
    ['--extras', 'no json'],
    ['--timeline', '/nowhere.json'],
    ['--request', '/nowhere.json'],
  ])('are refused if invalid: %s %s', (option, value) => {
    expect(() => request('u', option, value)).toThrow(option);
  });
});

describe('settings', () => {
  const command = (...args: string[]) => {
    const program = addSettings(new Command()).action(() => {});
    return program.parse([...args, '--config', join(folder, 'sub', 'config.json')], { from: 'user' });
  };

  it('come from options, else from the environment, else from the file', () => {
    vi.stubEnv('TICKREEL_URL', '');
    vi.stubEnv('TICKREEL_API_KEY', '');
    expect(() => neededSettings(command(), 'url', 'api_key')).toThrow(
      'Set TICKREEL_URL and TICKREEL_API_KEY in the environment, give --url and --api-key, or run `tickreel login`.',
    );
    storeSettings(command(), { url: 'https://stored.example', api_key: 'stored' });
    expect(neededSettings(command(), 'url', 'api_key')).toEqual({ url: 'https://stored.example', api_key: 'stored' });
    vi.stubEnv('TICKREEL_API_KEY', 'of the environment');
    expect(neededSettings(command(), 'api_key')).toEqual({ api_key: 'of the environment' });
    expect(neededSettings(command('--api-key', 'given'), 'api_key')).toEqual({ api_key: 'given' });
    expect(() => neededSettings(command('--url', 'stored.example'), 'url')).toThrow('https://');
  });

  it('are stored for their owner alone, with those that exist', () => {
    const path = storeSettings(command(), { url: 'https://a.example' });
    writeFileSync(path, readFileSync(path), { mode: 0o644 });
    storeSettings(command(), { api_key: 'k' });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ url: 'https://a.example', api_key: 'k' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, 'no json');
    expect(() => neededSettings(command(), 'admin_token')).toThrow('is no file of settings');
  });
});

describe('completion', () => {
  const complete = (...words: string[]) => completions(createProgram(), words);

  it('knows commands, options and choices', () => {
    expect(complete('cl')).toEqual(['clips']);
    expect(complete('jobs', 're')).toEqual(['replay', 'resend-webhook', 'resubmit']);
    expect(complete('submit', 'u', '--thumbnail-style', '')).toEqual(['full', 'killfeed', 'none']);
    expect(complete('submit', '--hud')).toEqual(['--hud-damage-ticker', '--hud-killfeed']);
    expect(complete('--json', 'jobs', 'list', '--api')).toEqual(['--api-key']);
    expect(complete('completion', '')).toContain('fish');
    expect(complete('')).not.toContain('complete');
  });

  it('leaves unknown words to the shell', () => {
    expect(complete('submit', '--request', '')).toEqual([]);
    expect(complete('--url', 'jobs', 'resub')).toEqual([]);
  });
});

describe('listen', () => {
  it('forwards outcomes as their webhooks, signed if there is a secret', async () => {
    const jobs = [
      { id: 'j-1', status: 'render', clip_id: null, error_code: null },
      { id: 'j-1', status: 'done', clip_id: 'c-1', error_code: null },
      { id: 'j-2', status: 'error', clip_id: null, error_code: 'demo_404' },
    ];
    const secret = formatSigningSecret(new Uint8Array(32).fill(7));
    const { sent, exitCode } = await run(`listen --forward http://laptop.test/hook --webhook-secret ${secret}`, [
      json({ jobs: [] }),
      events(jobs.map((job, i) => `id: ${i}\ndata: ${JSON.stringify(job)}\n\n`)),
      ...[json({ payload: { extras: '{"match":1}' } }), json({ duration_seconds: 14.5 }), json({})],
      ...[json({ payload: { extras: null } }), new TypeError('fetch failed'), problem('unauthorized', 401)],
    ]);
    expect(exitCode).toBe(1);
    const [completed, failed] = sent.filter(({ url }) => url.host === 'laptop.test');
    expect(completed?.body).toEqual({
      event: 'job.completed',
      status: 'processed',
      job_id: 'j-1',
      clip_id: 'c-1',
      clip_duration: 14.5,
      clip_url: 'https://tickreel.test/clips/c-1/embed',
      video_url: 'https://tickreel.test/clips/c-1/video.mp4',
      thumbnail_url: 'https://tickreel.test/clips/c-1/thumbnail.jpg',
      error_code: null,
      extras: { match: 1 },
    });
    const { webhooks } = createTickreel({ baseUrl: 'https://tickreel.test', apiKey: 'k', webhookSecret: secret });
    const unwrapped = await webhooks.unwrap(JSON.stringify(completed?.body), completed?.headers ?? {});
    expect(unwrapped.event).toBe('job.completed');
    expect(failed?.body).toMatchObject({ event: 'job.failed', job_id: 'j-2', error_code: 'demo_404', extras: null });
  });
});

describe('a job that is watched', () => {
  it('says why it failed, what to do, and where there is more', async () => {
    const failed = { id: 'j-1', status: 'error', clip_id: null, error_code: 'no_kills_found' };
    const facts = { round_asked: 9, rounds: [1, 2] };
    const cause = { error_code: 'no_kills_found', summary: 'Ask for one of these.', facts, retryable: false };
    const diagnosis = { ...cause, retry_at: null, docs_url: 'https://clips.example/docs/errors/no_kills_found' };
    const { sent, exitCode, out } = await run('jobs watch j-1', [
      json(failed),
      events([`data: ${JSON.stringify({ ...failed, progress: null, attempt: 1 })}\n\n`]),
      json({ ...failed, diagnosis }),
    ]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toEqual({
      job_id: 'j-1',
      status: 'error',
      error_code: 'no_kills_found',
      summary: 'Ask for one of these.',
      facts,
      docs_url: diagnosis.docs_url,
    });
    expect(sent.at(-1)?.url.search).toBe('?include=diagnosis');
  });

  it('prints the clip’s public address, which may differ from the service’s', async () => {
    const done = { id: 'j-1', status: 'done', clip_id: 'c-1', error_code: null };
    const urls = { page: 'https://clips.example/clips/c-1', embed: 'e', video: 'v', thumbnail: 't' };
    const event = events([`data: ${JSON.stringify({ ...done, progress: 1, attempt: 1 })}\n\n`]);
    const { out } = await run('jobs watch j-1', [json(done), event, json(done), json({ id: 'c-1', urls })]);
    expect(JSON.parse(out)).toMatchObject({ status: 'done', ...urls });
  });

  it('that is done is printed with what is known if the service does not answer', async () => {
    const job = { id: 'j-1', status: 'done', clip_id: 'c-1', error_code: null };
    const event = events([`data: ${JSON.stringify({ ...job, progress: null, attempt: 1 })}\n\n`]);
    // The server asks for a longer wait than a call with limited retries accepts.
    const failure = problem('unavailable', 503, { 'Retry-After': '121' });
    const { out } = await run('jobs watch j-1', [json(job), event, json(job), failure]);
    const page = 'https://tickreel.test/clips/c-1';
    expect(JSON.parse(out)).toMatchObject({ job_id: 'j-1', status: 'done', page });
  });
});

describe('how clips are shown', () => {
  it.each<[string[], object]>([
    [
      ['--embed-sites', 'a.example', '*.b.example', '--show-views'],
      { embed_sites: ['a.example', '*.b.example'], show_views: true },
    ],
    [['--embed-sites', 'none'], { embed_sites: [] }],
    [['--embed-sites', 'any', '--no-show-more'], { embed_sites: null, show_more: false }],
  ])('is changed by %j', async (options, body) => {
    const { sent } = await run(['viewing', 'change', ...options], [json({})]);
    expect(sent[0]).toMatchObject({ method: 'PATCH', body });
  });
});

describe('the exit status', () => {
  it.each([
    [503, 3],
    [500, 3],
    [429, 3],
    [403, 1],
  ])('of an answer of %i is %i', async (status, exit) => {
    const replies = Array.from({ length: 5 }, () => problem('any', status));
    const { exitCode, err } = await run('jobs list', replies);
    expect(exitCode).toBe(exit);
    expect(err).toContain('Request r-1');
  });
});

describe('a command that comes to nothing says so, and exits with another status than 0', () => {
  const best = ['demos', 'best', 'https://d.example/a.dem', '--submit'];
  const demo = (highlights: object[]) => ({ id: 'd', state: 'ready', match: { highlights } });
  const refused = { index: 0, job_id: null, replayed: false, problem: { detail: 'fps must be at most 120' } };
  const accepted = { index: 1, job_id: 'j', replayed: false, problem: null };
  const moments = [1, 2].map((round) => ({ kind: 'ace', round, request: { demo_url: 'd', steam64_id: '1', round } }));
  it.each<[string, string[], object[], number, string]>([
    ['no highlights', best, [demo([])], 1, 'There are no highlights in this demo, so no job was submitted.'],
    ['none wanted', [...best, '--top', '0'], [], 2, '--top has to be 1 or more.'],
    [
      'a refused job of the second batch',
      [...best, '--top', '51'],
      [demo(Array(51).fill(moments[0])), { results: Array(50).fill(accepted) }, { results: [refused] }],
      1,
      'fps must be at most 120',
    ],
    ['a refused job', best, [demo(moments), { results: [refused, accepted] }], 1, 'fps must be at most 120'],
    [
      'no answer of a receiver',
      ['webhooks', 'test', 'https://r.example'],
      [{ delivered: false }],
      1,
      '"delivered": false',
    ],
  ])('%s', async (_, args, replies, status, text) => {
    const { exitCode, out, err } = await run(
      args,
      replies.map((reply) => json(reply)),
    );
    expect(exitCode).toBe(status);
    expect(out + err).toContain(text);
  });
});

describe('an archive of several demos', () => {
  it.each([
    ['demos inspect', []],
    ['demos best', []],
    ['submit', ['--player', '1', '--dry-run']],
    ['rules try r', []],
  ])('%s writes the argument for each', async (command, options) => {
    const demo_url = 'https://d.example/series.zip?sig=1';
    const facts = { demos: ["maps/m1 o'clock.dem", 'm2#é.dem'] };
    const error_code = 'decompress_failed';
    const cause = { error_code, summary: 'Choose one.', facts, retryable: false, retry_at: null, docs_url: '' };
    const failed = { id: 'd', demo_url, state: 'error', error_code, diagnosis: cause, match: null };
    const line = [...command.split(' '), `${demo_url}#m3.dem`, ...options];
    const { exitCode, err } = await run(line, [json(failed), problem('demo_not_inspected', 409)]);
    expect(exitCode).toBe(1);
    const choices = [`maps/m1%20o'\\''clock.dem`, 'm2%23%C3%A9.dem'].map((name) => `  '${demo_url}#${name}'`);
    expect(err).toContain(`Choose one by its address:\n${choices.join('\n')}\n`);
  });
});

describe('text from hosts and other clients', () => {
  // An escape, its C1 form, a window title, a mark of text direction, and a line break.
  const EVIL = 'a\u001b[2J\u009b31m\u001b]0;x\u0007\u202eb\nc';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  const ACTED_ON = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

  const list = () => json({ jobs: [{ id: EVIL, [EVIL]: { deep: [EVIL] } }], next_cursor: EVIL });
  const refusal = () => json({ type: EVIL, title: EVIL, status: 400, detail: EVIL, errors: [], request_id: EVIL }, 400);
  const changes = () => events([`id: 1\ndata: ${JSON.stringify({ id: EVIL, status: 'done', clip_id: EVIL })}\n\n`]);
  const match = {
    map: EVIL,
    game_patch: null,
    tick_rate: 64,
    first_tick: 0,
    last_tick: 64,
    is_complete: true,
    recorded_by: EVIL,
    rounds: [{ round: 1, start_tick: 1, end_tick: 2, winner: EVIL, reason: EVIL, score: null }],
    players: [{ steam64_id: '1', name: EVIL, team: EVIL, kills: 1, deaths: 0, kills_by_round: { [EVIL]: 2 } }],
    highlights: [{ player: 0, round: 1, start_tick: 1, end_tick: 2, kind: EVIL, kinds: [EVIL], score: 1 }],
  };
  const pending = () => json({ id: 'd', state: 'pending', error_code: EVIL });

  it.each([
    ['a table', ['jobs', 'list'], [list()]],
    ['fields', ['jobs', 'show', 'j'], [json({ id: EVIL, [EVIL]: EVIL, payload: { [EVIL]: EVIL } })]],
    ['a refusal', ['jobs', 'show', 'j'], [refusal()]],
    ['a change', ['listen'], [json({ jobs: [] }), changes(), problem('unauthorized', 401)]],
    ['a demo', ['demos', 'inspect', 'https://d.example/a.dem'], [pending(), json({ id: 'd', state: 'ready', match })]],
  ] as const)('reaches a terminal without control characters: %s', async (_, args, replies) => {
    const { out, err } = await run(args, replies, { isTTY: true });
    const text = out + err;
    expect(text).toMatch(/a \[2J 31m \]0;x b c|a\\u001b\[2J\\u009b31m/);
    expect(text).not.toMatch(ACTED_ON);
  });

  it('is escaped in JSON, and keeps its value', async () => {
    const listed = await run('jobs list', [list()]);
    expect(listed.out).not.toMatch(ACTED_ON);
    expect(JSON.parse(listed.out)).toMatchObject({ next_cursor: EVIL });
    const { out, err } = await run('listen', [json({ jobs: [] }), changes(), problem('unauthorized', 401)]);
    expect(out + err).not.toMatch(ACTED_ON);
    expect(JSON.parse(out)).toMatchObject({ job: { id: EVIL } });
  });
});

describe('what people read', () => {
  it('is a table for a list, else lines, with nested fields', () => {
    expect(forPeople({ jobs: [{ id: 'a', code: null }], next_cursor: 'c' })).toBe(
      'ID  CODE\na   –\n\nMore with --cursor c',
    );
    expect(forPeople({ jobs: [], next_cursor: null })).toBe('none');
    const job = { id: 'j', payload: { fps: 30 }, diagnosis: null, attempts: [{ host: 'gpu-17', outcome: 'failed' }] };
    expect(forPeople(job)).toBe(
      'id           j\npayload.fps  30\ndiagnosis    –\n\nattempts\nHOST    OUTCOME\ngpu-17  failed',
    );
    expect(forPeople(null)).toBe('done');
    const detail = 'fps must be at most 120';
    const problem = { type: 't', title: 'T', status: 400, detail, error: detail, request_id: 'r' };
    const results = [
      { job_id: 'j', problem: null },
      { job_id: null, problem },
    ];
    expect(forPeople({ results: withDetails(results) })).toBe(
      'JOB_ID  PROBLEM\nj       –\n–       fps must be at most 120',
    );
  });
});

describe('progress', () => {
  const shown = (isTTY: boolean) => {
    let text = '';
    const write = (more: unknown) => {
      text += more;
      return true;
    };
    const display = showProgress({ isTTY, write });
    const step = (status: JobProgress['status'], progress: number | null, error_code: string | null = null) =>
      display.update({ status, progress, attempt: 1, error_code });
    step('pending', null);
    step('render', 0.5);
    step('render', 0.52);
    step('retrying', null, 'download_error');
    step('done', 1);
    step('error', null, 'demo_404');
    display.stop();
    return text;
  };

  it('is a bar on a terminal', () => {
    const [, waiting, half, , retrying, done, failed] = shown(true).split('\r');
    expect(half).toBe(`  ${'█'.repeat(16)}${'░'.repeat(16)}  50 %  rendering\u001b[K`);
    expect(done).toBe(`  ${'█'.repeat(32)} 100 %  done\u001b[K`);
    expect([waiting, retrying, failed]).toEqual([
      '  waiting for a render host\u001b[K',
      '  waiting to try again: download_error\u001b[K',
      '  failed: demo_404\u001b[K\n',
    ]);
  });

  it('says why the job waits, with its place on a terminal', () => {
    for (const [isTTY, place] of [
      [true, ' (position 4, about 90 s)'],
      [false, ''],
    ] as const) {
      const write = vi.fn(() => true);
      const queue = { position: 4, estimate_s: 90, reason: 'hosts_busy', text: 'All are busy.', hosts: 2, until: null };
      const waiting = { status: 'pending', progress: null, attempt: 0, error_code: null, queue } as const;
      showProgress({ isTTY, write }).update(waiting as JobProgress);
      showProgress({ isTTY, write }).update({ ...waiting, queue: null });
      const lines = write.mock.calls.flat().join();
      expect(lines).toContain(`waiting for a render host: All are busy.${place}${isTTY ? '\u001b' : '\n'}`);
      expect(lines).toContain(`waiting for a render host${isTTY ? '\u001b' : '\n'}`);
    }
  });

  it('is a line at each tenth elsewhere', () => {
    const lines = ['waiting for a render host', 'rendering 50 %', 'waiting to try again: download_error', 'done 100 %'];
    expect(shown(false)).toBe([...lines, 'failed: demo_404'].map((line) => `  ${line}\n`).join(''));
  });
});

describe('commands that no other test runs', () => {
  const moment = (round: number) => ({ kind: 'ace', round, request: { demo_url: 'd', steam64_id: '1', round } });
  const defuse = { ...moment(2), request: { demo_url: 'd', timeline: [{}] } };
  const match = { highlights: [moment(1), defuse, moment(2)] };
  const withKey = (body: object) => ({ ...body, idempotency_key: expect.any(String) });
  it.each<[string, string, unknown, unknown[]?]>([
    [
      'jobs list --created-from 2026-01-31T12:00:00Z --created-to 2026-02-01T12:00:00Z',
      'GET /api/jobs?created_from=2026-01-31T12%3A00%3A00Z&created_to=2026-02-01T12%3A00%3A00Z',
      null,
      [{ jobs: [] }],
    ],
    [
      'admin hosts create h --push-url https://h.example --game-build 14160',
      'POST /admin/hosts',
      {
        name: 'h',
        push: expect.objectContaining({
          url: 'https://h.example',
          capabilities: expect.objectContaining({ game_build: '14160' }),
        }),
      },
    ],
    [
      'rules create Best --from ingest --tag league --map de_mirage de_nuke --best 3 --player 1 2 --team CT --fps 60',
      'POST /api/rules',
      {
        name: 'Best',
        when: { sources: ['ingest'], tags: ['league'], maps: ['de_mirage', 'de_nuke'] },
        render: { what: 'highlights', limit: 3, players: ['1', '2'], team: 'CT' },
        options: { merge_gap: 5, fps: 60 },
      },
    ],
    [
      'rules create Aces --kinds ace --webhook-url https://w.example',
      'POST /api/rules',
      {
        name: 'Aces',
        render: { what: 'highlights', kinds: ['ace'] },
        options: { merge_gap: 5 },
        send: { webhook_url: 'https://w.example' },
      },
    ],
    ['rules create Kills --kills', 'POST /api/rules', { name: 'Kills', render: { what: 'kills' } }],
    ['rules pause r', 'PATCH /api/rules/r', { enabled: false }],
    ['rules resume r', 'PATCH /api/rules/r', { enabled: true }],
    ['rules show r', 'GET /api/rules/r', null],
    ['rules delete r', 'DELETE /api/rules/r', null],
    [
      'rules try r https://d.example/a.dem',
      'POST /api/rules/r/try',
      { demo_url: 'd' },
      [
        { id: 'd', state: 'ready', demo_url: 'd' },
        { mismatch: null, clips: [] },
      ],
    ],
    [
      'demos best https://d.example/a.dem --top 2 --submit --fps 60 --aspect 9:16',
      'POST /api/clips/batch',
      {
        defaults: { fps: 60, aspect: '9:16' },
        clips: [{ ...moment(1).request, merge_gap: 5 }, defuse.request].map(withKey),
      },
      [{ id: 'd', state: 'ready', match }, { results: [{ index: 0, job_id: 'j', problem: null }] }],
    ],
    [
      'demos show d --weapon awp --headshot true --victim 1 --round 2 --kind ace --team CT --best-of 5',
      'GET /api/demos/d?weapon=awp&headshot=true&victim=1&round=2&kind=ace&team=CT&best_of=5',
      null,
      [{ id: 'd', state: 'ready', match }],
    ],
    ['keys list --limit 5', 'GET /api/keys?limit=5', null, [{ keys: [], next_cursor: null }]],
    [
      'keys create metered --name server --scope ingest --expires-at 2027-01-01T00:00:00Z --ingest-limits demos=4 mib=9',
      'POST /api/keys',
      {
        kind: 'metered',
        name: 'server',
        scope: 'ingest',
        expires_at: '2027-01-01T00:00:00Z',
        ingest_limits: { demos: 4, mib: 9 },
      },
      [{ key_id: 'k' }],
    ],
    ['keys create reserved', 'POST /api/keys', { kind: 'reserved' }, [{ key_id: 'k' }]],
    ['keys revoke k', 'DELETE /api/keys/k', null],
    ['keys revoke --keep-made k', 'DELETE /api/keys/k?keep_made=true', null],
    ['admin keys revoke --keep-made a k', 'DELETE /admin/accounts/a/keys/k?keep_made=true', null],
    [
      'submit https://d.example/a.dem --player 1 --dry-run',
      'POST /api/plan',
      { demo_url: 'https://d.example/a.dem', steam64_id: '1' },
      [
        { id: 'd', state: 'ready', match },
        { seconds: 5, shots: [] },
      ],
    ],
  ])('%s', async (line, asked, body, replies = [{}]) => {
    const { sent } = await run(
      line,
      replies.map((reply) => json(reply)),
    );
    const last = sent.at(-1);
    expect(`${last?.method} ${last?.url.pathname}${last?.url.search}`).toBe(asked);
    expect(last?.body).toEqual(body);
    expect(sent).toHaveLength(replies.length);
  });

  it('rules create merges a file, options and the secret of the environment', async () => {
    vi.stubEnv('TICKREEL_DISCORD_URL', 'https://discord.com/api/webhooks/1/t');
    const options = { hud_killfeed: true, merge_gap: 1 };
    const rule = { name: 'a', render: { what: 'kills', players: ['1'] }, options };
    const create = async (line: string) => {
      const { sent } = await run(`rules create ${line} --file ${fileOf(rule)}`, [json({})]);
      return sent[0]?.body;
    };
    const send = { discord_url: 'https://discord.com/api/webhooks/1/t' };
    expect(await create('--fps 60')).toEqual({ ...rule, send, options: { ...options, fps: 60 } });
    const other = '--discord https://discord.com/api/webhooks/2/t';
    expect(await create(`b --paused --best-of-each ${other}`)).toMatchObject({
      name: 'b',
      enabled: false,
      render: { what: 'best_of_each', players: ['1'] },
      options,
      send: { discord_url: 'https://discord.com/api/webhooks/2/t' },
    });
  });

  it('rules list, on a terminal, says in words what each does, and how its last run ended', async () => {
    const made = { id: 'r', enabled: true, paused: null, send: { discord_url: 'https://discord.com/…' } };
    const paused = { reason: 'its key is revoked', at: '2026-05-04T18:20:00.000Z' };
    const failed = { state: 'failed', detail: 'no clip was made: demo_404' };
    const when = { sources: ['ingest', 'upload'], tags: ['league'], maps: ['de_nuke'], players: ['3'] };
    const aces = { what: 'highlights', kinds: ['ace'], players: ['1', '2'], team: 'T', limit: 10 };
    const rules = [
      { ...made, name: 'a', when, render: aces, last_run: failed },
      { ...made, name: 'b', enabled: false, paused, when: {}, render: { what: 'kills', limit: 2 }, last_run: null },
      { ...made, name: 'c', enabled: false, when: {}, render: { what: 'best_of_each' }, last_run: { state: 'done' } },
    ];
    const { out } = await run('rules list', [json({ rules })], { isTTY: true });
    const told =
      'by 1 or 2, by the team that starts as T, from game servers or uploads, tagged league, on de_nuke, with 3';
    expect(out).toContain(`on  `);
    expect(out).toContain(`the best 10 moments (ace), ${told}`);
    expect(out).toContain('no clip was made: demo_404');
    expect(out).toContain('paused: its key is revoked');
    expect(out).toMatch(
      /all kills of each player, of at most 2 players .*\n.*paused .*each player's best moment .* done/,
    );
  });

  it('rules try, on a terminal, has a line for each clip with its cost', async () => {
    const plan = { seconds: 18, shots: [{}, {}], price: { amount: 0.5, currency: 'EUR' } };
    const clips = [{ request: { steam64_id: '7', round: 3 }, plan, problem: null }];
    const replies = [json({ id: 'd', state: 'ready', demo_url: 'd' }), json({ mismatch: null, clips })];
    const { out } = await run('rules try r https://d.example/a.dem', replies, { isTTY: true });
    expect(out).toMatch(/PLAYER +ROUND +SHOTS +SECONDS +PRICE +PROBLEM *\n7 +3 +2 +18 +0.5 /);
  });

  const SHOT = { steam64_id: '1', round: 7, start_tick: 64, end_tick: 384, seconds: 5, kill_ticks: [256] };
  const PLAN = {
    seconds: 16.5,
    is_estimate: false,
    price: { amount: 0.1 },
    shots: [SHOT, { ...SHOT, steam64_id: '2', subject_steam64_id: '1', speed: 0.5, seconds: 5.5 }],
    cards: ['intro', 'outro'].map((kind) => ({ kind, seconds: 3 })),
  };
  it.each([
    [
      'shows the plan',
      json(PLAN),
      new RegExp(
        [
          ...['^seconds +16.5', 'is_estimate +false', 'price.amount +0.1', '', 'parts'],
          'SHOWS +PLAYER +ROUND +TICKS +KILLS +SPEED +SECONDS',
          ...['intro +– +– +– +– +– +3', 'shot +1 +7 +64–384 +1 +1 +5'],
          ...['victim +2 +7 +64–384 +1 +0.5 +5.5', 'outro .* +3', '', 'job_id +j'],
        ].join('\n'),
      ),
    ],
    ['shows none of a demo that is not inspected', problem('demo_not_inspected', 409), /^job_id +j/],
    ['shows none while plans are unavailable', problem('unavailable', 503), /^job_id +j/],
  ])('submit, on a terminal, %s', async (_, plan, shown) => {
    const replies = [plan, json({ job_id: 'j' }, 201)];
    const { sent, out } = await run('submit https://d.example/a.dem --player 1', replies, { isTTY: true });
    expect(out).toMatch(shown);
    expect(sent.map(({ url }) => url.pathname)).toEqual(['/api/plan', '/api/clips']);
  });
});
