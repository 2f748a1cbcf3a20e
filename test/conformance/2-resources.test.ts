import { beforeAll, describe, expect, it } from 'vitest';
import { VIDEO } from '../support/test-host.ts';
import {
  expectInvalid,
  OTHER_PLAYER,
  parkedRequest,
  roundRequest,
  segment,
  TIME,
  timelineRequest,
} from './support/api.ts';
import { type Account, createAccount, failJob, grantOf, renderedClip } from './support/service.ts';

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

const payloadOf = async (request: unknown) =>
  (await account.metered.job(await account.metered.submit(request))).payload as Record<string, unknown>;

describe('2.1 job object', () => {
  it('has exactly these fields', async () => {
    const jobId = await account.metered.submit(parkedRequest());
    expect(Object.keys(await account.metered.job(jobId)).sort()).toEqual(
      [
        'id',
        'status',
        'priority',
        'fps',
        'resolution',
        'clip_id',
        'error_code',
        'created_at',
        'finished_at',
        'payload',
      ].sort(),
    );
  });

  it('fps is the requested one, or null', async () => {
    expect(await account.metered.job(await account.metered.submit(roundRequest({ fps: 24 })))).toMatchObject({
      fps: 24,
    });
    expect(await account.metered.job(await account.metered.submit(roundRequest()))).toMatchObject({ fps: null });
  });

  it('resolution is the requested one, or 1080', async () => {
    const asked = await account.metered.submit(parkedRequest({ resolution: 1440 }));
    expect(await account.metered.job(asked)).toMatchObject({ resolution: 1440 });
    const silent = await account.metered.submit(parkedRequest());
    expect(await account.metered.job(silent)).toMatchObject({ resolution: 1080 });
  });

  it('created_at is a time and stays', async () => {
    const jobId = await account.metered.submit(roundRequest());
    const { created_at } = await account.metered.job(jobId);
    expect(created_at).toMatch(TIME);
    await failJob(jobId, 'demo_404');
    expect(await account.metered.job(jobId)).toMatchObject({ created_at });
  });
});

describe('2.2 payload of a job', () => {
  const NORMALIZED = { resolution: 1080, idempotency_key: null, extras: null };

  it('echoes the fields of round mode', async () => {
    const request = parkedRequest({ round: 7, pre_kill_padding: 1.25, post_kill_padding: 5 });
    expect(await payloadOf(request)).toEqual({ ...NORMALIZED, ...request });
  });

  it('echoes the fields of timeline mode', async () => {
    const request = timelineRequest({ fps: 120, timeline: [segment(), segment({ steam64_id: OTHER_PLAYER })] });
    expect(await payloadOf(request)).toEqual({ ...NORMALIZED, ...request });
  });

  it('echoes every render option that was sent, also a default value', async () => {
    const request = parkedRequest({
      resolution: 1440,
      commands: { spec_show_xray: '0', cl_draw_only_deathnotices: '1' },
      hud_killfeed: true,
      hud_damage_ticker: false,
      thumbnail_style: 'full',
      webhook_url: 'https://receiver.example.com/hook?a=1',
    });
    expect(await payloadOf(request)).toEqual({ ...NORMALIZED, ...request });
  });

  it('never shows the webhook_auth_header', async () => {
    const request = parkedRequest({ webhook_url: 'https://r.example.com/', webhook_auth_header: 'Bearer a-secret' });
    const jobId = await account.metered.submit(request);
    for (const path of [`/api/jobs/${jobId}`, '/api/jobs', `/api/jobs/${jobId}/deliveries`]) {
      expect((await account.metered.get(path)).text).not.toContain('a-secret');
    }
  });

  it.each([
    ['an object', '{"a":{"b":[null,true,"c"]},"":0}'],
    ['an integer beyond 2^53', '12345678901234567890'],
    ['a number with its trailing zero', '1.0'],
    ['fields that repeat', '{"a":1,"a":2}'],
    ['half a surrogate pair', '"\\ud800"'],
  ])('has extras as JSON text: %s', async (_, extras) => {
    const body = JSON.stringify(parkedRequest()).replace(/}$/, `, "extras" : ${extras} }`);
    const jobId = await account.metered.submit(body);
    expect(await account.metered.job(jobId)).toMatchObject({ payload: { extras } });
  });
});

describe('2.3 clip object', () => {
  it('has exactly these fields', async () => {
    const { jobId, clipId } = await renderedClip(account.reserved, roundRequest({ fps: 60, resolution: 1440 }));
    expect(await account.metered.clip(clipId)).toEqual({
      id: clipId,
      state: 'ready',
      is_saved: false,
      title: '2 kills by Ferris on cs_italy',
      resolution: 1440,
      fps: 60,
      tier: 'reserved',
      duration_seconds: 7.5,
      size: String(VIDEO.byteLength),
      job_id: jobId,
      created_at: expect.stringMatching(TIME),
    });
  });

  it('has the renderer’s frame rate if none was requested', async () => {
    const { clipId } = await renderedClip(account.metered, roundRequest());
    expect(await account.metered.clip(clipId)).toMatchObject({ fps: 30, resolution: 1080, tier: 'metered' });
  });
});

describe('2.4 timeline segment', () => {
  const submitted = (fields: Record<string, unknown>) =>
    account.metered.post('/api/clips', timelineRequest({ fps: 120, timeline: [segment(fields)] }));

  it('has a player, a beginning from tick 0 on and a later end: core/protocol/submit.test.ts has every case', async () => {
    expect((await submitted({ start_tick: 0, end_tick: 64 })).status).toBe(201);
    expectInvalid(await submitted({ steam64_id: undefined }), 'timeline[0].steam64_id');
    expectInvalid(await submitted({ start_tick: -1, end_tick: 1000 }), 'timeline[0].start_tick');
    expectInvalid(await submitted({ start_tick: 1000, end_tick: 1000 }), 'timeline[0].end_tick');
  });

  it('has no other field', async () => {
    expectInvalid(await submitted({ zoom: 2 }), 'timeline[0].zoom');
  });
});

describe('2.5 commands', () => {
  const submitted = (commands: unknown) => account.metered.post('/api/clips', parkedRequest({ commands }));

  it.each([
    ['spec_show_xray', '0'],
    ['spec_show_xray', '1'],
    ['cl_draw_only_deathnotices', '0'],
    ['cl_draw_only_deathnotices', '1'],
  ])('take %s %j', async (name, value) => {
    const answer = await submitted({ [name]: value });
    expect(answer.status, answer.text).toBe(201);
    expect(await account.metered.job(String(answer.body.job_id))).toMatchObject({
      payload: { commands: { [name]: value } },
    });
  });

  it.each([
    [{}, { spec_show_xray: false, cl_draw_only_deathnotices: true }],
    [{ commands: {} }, { spec_show_xray: false, cl_draw_only_deathnotices: true }],
    [{ commands: { spec_show_xray: '1' } }, { spec_show_xray: true, cl_draw_only_deathnotices: true }],
    [{ commands: { cl_draw_only_deathnotices: '0' } }, { spec_show_xray: false, cl_draw_only_deathnotices: false }],
  ])('reach the render host with their defaults: %j', async (fields, order) => {
    const grant = await grantOf(await account.metered.submit(roundRequest(fields)));
    expect(grant.order).toMatchObject(order);
  });
});
