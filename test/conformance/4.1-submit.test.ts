import { beforeAll, describe, expect, it } from 'vitest';
import { OTHER_PLAYER, PLAYER, parkedRequest, roundRequest, segment, timelineRequest, UUID } from './support/api.ts';
import { type Account, accepted, createAccount, orderOf } from './support/service.ts';

let account: Account;

beforeAll(async () => {
  account = await createAccount();
});

describe('4.1 common and round mode fields', () => {
  it('fps takes an integer written as a fraction or with an exponent', async () => {
    for (const fps of ['120.0', '1.2e2']) {
      const body = JSON.stringify(parkedRequest()).replace('"fps":120', `"fps":${fps}`);
      expect(await accepted(account.metered, account.metered.post('/api/clips', body))).toMatchObject({ fps: 120 });
    }
  });

  it('have their defaults for the render host', async () => {
    const order = await orderOf(account.metered, roundRequest());
    const defaults = { hud_killfeed: false, hud_damage_ticker: false, thumbnail_style: 'full' };
    const commands = { spec_show_xray: false, cl_draw_only_deathnotices: true };
    expect(order).toMatchObject({ fps: 30, resolution: 1080, ...defaults, ...commands });
    const selection = { mode: 'round', steam64_id: PLAYER, round: null, pre_kill_padding: 3, post_kill_padding: 2 };
    expect(order.selection).toMatchObject(selection);
  });

  it('reach the render host', async () => {
    const options = { resolution: 1440, fps: 75, hud_killfeed: true, hud_damage_ticker: true, thumbnail_style: 'none' };
    const selection = { steam64_id: OTHER_PLAYER, round: 2, pre_kill_padding: 0.75, post_kill_padding: 1 };
    const commands = { spec_show_xray: '1' };
    const order = await orderOf(account.metered, roundRequest({ ...options, ...selection, commands }));
    expect(order).toMatchObject({ ...options, spec_show_xray: true, cl_draw_only_deathnotices: true });
    expect(order.selection).toMatchObject(selection);
  });
});

describe('4.1 timeline mode fields', () => {
  it('rule 2: segments that touch or overlap are taken, for the render host to merge', async () => {
    const timeline = [
      segment({ start_tick: 0, end_tick: 100 }),
      segment({ start_tick: 100, end_tick: 200 }),
      segment({ start_tick: 150, end_tick: 300 }),
      segment({ start_tick: 150, end_tick: 300, steam64_id: OTHER_PLAYER }),
    ];
    const order = await orderOf(account.metered, timelineRequest({ timeline }));
    expect(order.selection).toMatchObject({ mode: 'timeline', segments: { length: 4 } });
  });
});

describe('4.1 response', () => {
  it('201 names the new job and nothing else', async () => {
    const answer = await account.metered.post('/api/clips', parkedRequest());
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ job_id: expect.stringMatching(UUID) });
    expect(answer.headers.get('Content-Type')).toBe('application/json');
  });
});
