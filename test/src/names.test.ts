import { describe, expect, it, vi } from 'vitest';
import type { JobView } from '#protocol/job/job-view.ts';
import { clipIdOf } from '../support/accounts.ts';
import { fireAlarm, pass, resetQueue, useScenario } from '../support/scenario.ts';
import { readJob, roundRequest, send, sendJson, submit } from '../support/service.ts';

const scene = useScenario();
const SKILLS = { skills: ['names'] };
const GAME = { ...SKILLS, renderer: 'cs2', game_build: '1' };
const FULL_HUD = { cl_draw_only_deathnotices: '0', spec_show_xray: '1' };
const TEXTS = { '76561198000000001': 'Ferris' };
const change = async (changes: object) => {
  await sendJson(scene.account.metered, 'PATCH', '/api/viewing', changes);
  vi.setSystemTime(Date.now() + 30_001);
};
const errorsOf = async (path: string, body: object) => {
  const answer = await sendJson(scene.account.metered, 'POST', path, body);
  const { errors = [] } = await answer.json<{ errors?: { path: string; message: string }[] }>();
  return errors.map(({ path, message }) => `${path} ${message}`);
};

it('names reach a host that has the skill, and no other', async () => {
  await resetQueue();
  const jobId = await submit(scene.account.metered, { names: TEXTS });
  expect(await scene.host.claim({ skills: ['inspect', 'tracks', 'uploads'] })).toBeNull();
  expect((await scene.host.claimJob(jobId, SKILLS)).order).toMatchObject({ names: TEXTS });
});

describe('names of an account that hides them', () => {
  it.each([
    [{}, {}],
    [{ names: 'hide' }, {}],
    [{ names: {} }, {}],
    [{ names: TEXTS }, TEXTS],
    [{ names: 'show' }, undefined],
  ])('%j are %j, also in a retry after a change of the setting', async (asked, expected) => {
    await change({ hide_names: true });
    const jobId = await submit(scene.account.metered, asked);
    await change({ hide_names: false });
    const grant = await scene.host.claimJob(jobId, SKILLS);
    expect(grant.order.names).toEqual(expected);
    await scene.host.fail(grant, 'download_error');
    await pass(3_600_000, jobId);
    expect((await scene.host.claimJob(jobId, SKILLS)).order.names).toEqual(expected);
  });
});

describe('hidden names in the game', () => {
  it.each([
    ['/api/clips', roundRequest, ''],
    ['/api/plan', roundRequest, ''],
    ['/api/rules', (options: object) => ({ name: 'a', render: { what: 'kills' }, options }), 'options.'],
  ])('%s refuses what would show them', async (path, bodyOf, parent) => {
    const asked = { renderer: 'cs2', names: 'hide', hud_killfeed: false, commands: FULL_HUD };
    const why = 'with these names: the game would show the real names';
    const refused = {
      'commands.cl_draw_only_deathnotices': 'must be "1"',
      'commands.spec_show_xray': 'must be "0"',
      hud_killfeed: 'must be true',
    };
    expect(await errorsOf(path, bodyOf(asked))).toEqual(
      Object.entries(refused).map(([field, value]) => `${parent}${field} ${value} ${why}`),
    );
    for (const fine of [{ renderer: 'radar' }, { names: 'show' }, { hud_killfeed: true, commands: {} }]) {
      expect(await errorsOf(path, bodyOf({ ...asked, ...fine }))).toEqual([]);
    }
  });

  it('are not refused but replaced by our killfeed if the account hides them, and not if the radar draws', async () => {
    await change({ hide_names: true });
    const asked = { hud_killfeed: false, commands: FULL_HUD };
    const ordered = async (renderer: string, able: object) => {
      const { order } = await scene.host.claimJob(await submit(scene.account.metered, { ...asked, renderer }), able);
      return [order.names, order.spec_show_xray, order.cl_draw_only_deathnotices, order.hud_killfeed];
    };
    expect(await ordered('cs2', GAME)).toEqual([{}, false, true, true]);
    expect(await ordered('radar', SKILLS)).toEqual([{}, true, false, false]);
  });
});

it('a clip with hidden names is in no list and lists no other, also while its job makes it again with names', async () => {
  await change({ show_more: true });
  const facts = { kills: 1, players: ['Player 1'], map: 'de_nuke', round: 1, names: 'hidden' };
  const made = async (key: string, more: object, made: object) => {
    const jobId = await submit(scene.account.metered, { idempotency_key: key, ...more });
    await scene.host.finish(await scene.host.claimJob(jobId, SKILLS), made);
    await fireAlarm(jobId);
    return { jobId, clipId: await clipIdOf(jobId) };
  };
  const hidden = await made(crypto.randomUUID(), { names: 'hide' }, { facts });
  const other = await made(crypto.randomUUID(), {}, {});
  const moreOf = async (clipId: string) => {
    vi.setSystemTime(Date.now() + 30_000);
    const response = await send(`/clips/${clipId}/more`);
    return response.status === 200 ? (await response.json<{ clips: object[] }>()).clips : response.status;
  };
  expect(await moreOf(hidden.clipId)).toBe(404);
  expect(await moreOf(other.clipId)).toEqual([]);
  const again = {
    idempotency_key: (await readJob<JobView>(scene.account.metered, hidden.jobId)).payload.idempotency_key,
  };
  await sendJson(scene.account.metered, 'POST', '/api/clips', roundRequest({ ...again, force: true }));
  await scene.host.begin(await scene.host.claimJob(hidden.jobId));
  await fireAlarm(hidden.jobId);
  expect(await moreOf(hidden.clipId)).toBe(404);
  expect(await moreOf(other.clipId)).toEqual([]);
});
