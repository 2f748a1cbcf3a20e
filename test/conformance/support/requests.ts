import { PARKED_FPS } from './switchboard.ts';

export const PLAYER = '76561198000000001';
export const OTHER_PLAYER = '76561198000000002';
export const DEMO_URL = 'https://demos.example.com/match.dem.gz';

type Fields = Record<string, unknown>;

/** A valid request of each mode. A field that is undefined is not sent. */
export const roundRequest = (fields: Fields = {}): Fields => ({ demo_url: DEMO_URL, steam64_id: PLAYER, ...fields });
export const timelineRequest = (fields: Fields = {}): Fields => ({
  demo_url: DEMO_URL,
  timeline: [segment()],
  ...fields,
});

/** A request whose job nobody claims. */
export const parkedRequest = (fields: Fields = {}): Fields => roundRequest({ fps: PARKED_FPS, ...fields });

export const segment = (fields: Fields = {}): Fields => ({
  steam64_id: PLAYER,
  start_tick: 1000,
  end_tick: 2000,
  ...fields,
});

/** A lower-case UUID of any version. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** ISO 8601, in UTC. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
