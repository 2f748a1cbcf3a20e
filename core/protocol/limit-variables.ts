import * as z from 'zod';
import { DEFAULTS, MOST_TICKS, TICKS_A_SECOND } from '#domain/render-order.ts';

export const limitVariable = (preset: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).default(preset);

/** The variables that limit what accounts, hosts and addresses may do. docs/security.md lists them. */
export const LIMIT_VARIABLES = {
  /** Per minute, for an account without its own limit. */
  LIMIT_REQUESTS: limitVariable(12_000),
  LIMIT_SUBMITS: limitVariable(3000),
  LIMIT_UPLOADS: limitVariable(120),
  LIMIT_FOLLOWS: limitVariable(1200),
  LIMIT_WEBHOOK_TESTS: limitVariable(30),
  /** Per minute, for a host's token. */
  LIMIT_HOST_REQUESTS: limitVariable(12_000),
  /** Per minute, for one address. */
  LIMIT_KEY_GUESSES: limitVariable(100),
  LIMIT_CLIP_GUESSES: limitVariable(600),
  LIMIT_VIEWS: limitVariable(120),
  /** Per hour, for one job. */
  LIMIT_RESENDS: limitVariable(60),
  LIMIT_RERUNS: limitVariable(60),
  /** Per day (UTC), for an account. */
  LIMIT_JOBS_DAY: limitVariable(100_000),
  LIMIT_AGENT_SECONDS_DAY: limitVariable(30 * 60),
  /** Minutes of hosts' time per day (UTC), for an account's runs that make no clip. */
  LIMIT_UNBILLED_MINUTES: limitVariable(24 * 60),
  /** Frames of one clip. The default is the most that a timeline can ask for at the default frame rate. */
  LIMIT_CLIP_FRAMES: limitVariable((MOST_TICKS / TICKS_A_SECOND) * DEFAULTS.fps),
  /** Minutes that a run with a fallback waits for a host with the game. */
  LIMIT_FALLBACK_MINUTES: limitVariable(10),
  /** At a time, for one job and for an account. */
  LIMIT_JOB_FOLLOWERS: limitVariable(50),
  LIMIT_JOBS: limitVariable(20_000),
  LIMIT_JOBS_KEPT: limitVariable(1_000_000),
  LIMIT_ASSETS: limitVariable(1000),
  LIMIT_ASSET_MIB: limitVariable(1024),
  LIMIT_DEMO_MIB: limitVariable(20 * 1024),
  LIMIT_OPEN_UPLOADS: limitVariable(200),
  /** MB of a demo in one request of a game server. The default is what Cloudflare takes on its small plans. */
  LIMIT_INGEST_MB: limitVariable(100),
  /** Per day (UTC), for a key of scope `ingest` without its own limit. */
  LIMIT_INGEST_MIB_DAY: limitVariable(10 * 1024),
  LIMIT_INGEST_DEMOS_DAY: limitVariable(100),
  LIMIT_INGEST_CLIPS_DAY: limitVariable(200),
  LIMIT_INSPECTIONS: limitVariable(20),
  LIMIT_RULES: limitVariable(100),
};
