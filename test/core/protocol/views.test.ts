import { describe, expect, it } from 'vitest';
import { fieldsOf, type Job } from '#domain/job/job.ts';
import { clipView } from '#protocol/clip/clip-view.ts';
import { RenderOrderView, readRenderOrder, renderOrderView } from '#protocol/clip/render-order-view.ts';
import { isAcceptableDemoUrl } from '#protocol/demo/demos.ts';
import { deliveryList } from '#protocol/job/delivery-view.ts';
import { jobView } from '#protocol/job/job-view.ts';
import { webhookOutcome, withExtras } from '#protocol/job/webhook.ts';
import { problemType } from '#protocol/lib/problem.ts';
import { clipUrls } from '#protocol/lib/routes.ts';
import { NO_CARDS } from '#test/support/plain-order.ts';
import { CLIP_ID, JOB_ID, jobs, T0 } from '../domain/builders.ts';

const REQUEST = { demo_url: 'https://demos.example.com/a.dem', resolution: 1080, extras: null };
const done: Job = jobs.done();
const failed: Job = { ...jobs.error(), clip: null };

describe('a job as its account sees it', () => {
  it('names its clip once it is done', () => {
    expect(jobView(done, REQUEST)).toEqual({
      id: JOB_ID,
      status: 'done',
      priority: done.priority,
      fps: null,
      resolution: 1080,
      clip_id: CLIP_ID,
      error_code: null,
      created_at: new Date(done.createdAt).toISOString(),
      finished_at: new Date(fieldsOf(done).finishedAt ?? 0).toISOString(),
      payload: { ...REQUEST, idempotency_key: null },
    });
  });

  it('says why there is none, and what was asked for', () => {
    const view = jobView(jobs.retrying(), { ...REQUEST, fps: 60, idempotency_key: 'k' });
    expect(view).toMatchObject({ clip_id: null, error_code: 'download_timeout', finished_at: null, fps: 60 });
    expect(view.payload).toMatchObject({ fps: 60, idempotency_key: 'k' });
  });
});

it('a clip as its account sees it has its size in digits', () => {
  const clip = done.clip ?? expect.fail('a finished job has a clip');
  expect(clipView(CLIP_ID, JOB_ID, clip)).toEqual({
    id: CLIP_ID,
    state: 'ready',
    is_saved: false,
    title: clip.title,
    resolution: clip.resolution,
    fps: clip.fps,
    tier: clip.tier,
    duration_seconds: clip.durationSeconds,
    size: String(clip.video.bytes),
    job_id: JOB_ID,
    created_at: new Date(clip.createdAt).toISOString(),
  });
});

it('a delivery is listed with each of its attempts', () => {
  const record = {
    id: 'd',
    event: 'job.failed',
    status: 'queued',
    url: 'https://h',
    createdAt: T0,
    nextAt: T0,
  } as const;
  const time = new Date(T0).toISOString();
  const attempts = [{ attempt: 1, at: T0, status: 500, error: 'no' }];
  expect(
    deliveryList([
      { ...record, waitReason: 'why', attempts },
      { ...record, waitReason: null, nextAt: null, attempts: [] },
    ]),
  ).toEqual({
    deliveries: [
      {
        id: 'd',
        event: 'job.failed',
        status: 'queued',
        url: 'https://h',
        created_at: time,
        next_attempt_at: time,
        wait_reason: 'why',
        attempts: [{ attempt: 1, at: time, http_status: 500, error: 'no' }],
      },
      expect.objectContaining({ next_attempt_at: null, attempts: [] }),
    ],
  });
});

describe('the webhook', () => {
  it('of a completed job has its addresses and its length', () => {
    const { event, body: outcome } = webhookOutcome(done, 'https://t.example');
    const body = withExtras(outcome, '{"a":1.0}');
    expect(event).toBe('job.completed');
    expect(body.endsWith(',"extras":{"a":1.0}}')).toBe(true);
    expect(JSON.parse(body)).toEqual({
      event,
      job_id: JOB_ID,
      clip_id: CLIP_ID,
      clip_url: `https://t.example/clips/${CLIP_ID}/embed`,
      video_url: `https://t.example/clips/${CLIP_ID}/video.mp4`,
      thumbnail_url: `https://t.example/clips/${CLIP_ID}/thumbnail.jpg`,
      clip_duration: done.clip?.durationSeconds,
      status: 'processed',
      error_code: null,
      extras: { a: 1 },
    });
  });

  it('of a failed job has its code and null for the rest', () => {
    const { event, body: outcome } = webhookOutcome({ ...failed, clip: done.clip }, 'https://t.example');
    const body = withExtras(outcome, null);
    expect(event).toBe('job.failed');
    expect(JSON.parse(body)).toEqual({
      event,
      job_id: JOB_ID,
      clip_id: null,
      clip_url: null,
      video_url: null,
      thumbnail_url: null,
      clip_duration: null,
      status: 'error',
      error_code: 'demo_404',
      extras: null,
    });
  });
});

it('a clip has an address for each of what viewers load, and one where they say so', () => {
  expect(clipUrls('', 'c')).toEqual({
    page: '/clips/c',
    embed: '/clips/c/embed',
    video: '/clips/c/video.mp4',
    thumbnail: '/clips/c/thumbnail.jpg',
    storyboard: '/clips/c/storyboard.jpg',
    views: '/clips/c/views',
    more: '/clips/c/more',
  });
});

it('a kind of problem is explained at its own place', () => {
  expect(problemType('gone', 'https://tickreel.test')).toBe('https://tickreel.test/docs/problems#gone');
});

describe('an order', () => {
  const order = {
    demoUrl: 'https://d',
    fps: 60,
    resolution: 1440,
    aspect: '4:5',
    xray: true,
    onlyDeathnotices: false,
    ownKillfeed: true,
    damageTicker: false,
    thumbnailStyle: 'none',
    thumbnailTick: 0,
    names: { [CLIP_ID]: 'Ferris' },
    watermarkImageId: CLIP_ID,
    ...NO_CARDS,
    introAssetId: CLIP_ID,
    titleCard: true,
  } as const;
  const round = {
    mode: 'round',
    steam64Id: '1',
    round: null,
    preKillPadding: 3,
    postKillPadding: 2,
    pov: 'both',
    mergeGap: 5,
    killSlowdown: 0.5,
  } as const;
  const timeline = {
    mode: 'timeline',
    segments: [{ steam64Id: '1', startTick: 1, endTick: 65, speed: 2 }],
    killSlowdown: null,
  } as const;

  it('says that it is a fallback only if it is one', () => {
    const fallback = { ...order, selection: round, isFallback: true };
    expect(readRenderOrder(renderOrderView(fallback))).toEqual(fallback);
    expect(renderOrderView({ ...order, selection: round })).not.toHaveProperty('is_fallback');
  });

  it.each([round, timeline])('travels to a host and back as it was, in $mode mode', (selection) => {
    const view = renderOrderView({ ...order, selection });
    expect(RenderOrderView.parse(view)).toEqual(view);
    expect(readRenderOrder(view)).toEqual({ ...order, selection });
  });
});

it('a demo is taken from an accepted domain, and from nowhere that is no address', () => {
  const policy = { acceptedDomains: ['example.com'], allowPrivateAddresses: false };
  expect(isAcceptableDemoUrl('https://example.com/a.dem', policy)).toBe(true);
  expect(isAcceptableDemoUrl('https://example.org/a.dem', policy)).toBe(false);
  expect(isAcceptableDemoUrl('no address', policy)).toBe(false);
});
