import * as z from 'zod';
import { DEFAULTS, MOST_TICKS, TICKS_A_SECOND } from '../domain/render-order.ts';

export const limitVariable = (preset: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).default(preset);

/** The variables that limit what accounts, hosts and addresses may do. docs/security.md lists them. */
export const LIMIT_VARIABLES = {
  /** In a minute, of an account that has no limit of its own. */
  LIMIT_REQUESTS: limitVariable(12_000),
  LIMIT_SUBMITS: limitVariable(3000),
  LIMIT_UPLOADS: limitVariable(120),
  LIMIT_FOLLOWS: limitVariable(1200),
  LIMIT_WEBHOOK_TESTS: limitVariable(30),
  /** In a minute, of a host's token. */
  LIMIT_HOST_REQUESTS: limitVariable(12_000),
  /** In a minute, from one address. */
  LIMIT_KEY_GUESSES: limitVariable(100),
  LIMIT_CLIP_GUESSES: limitVariable(600),
  LIMIT_VIEWS: limitVariable(120),
  /** In an hour, of one job. */
  LIMIT_RESENDS: limitVariable(60),
  LIMIT_RERUNS: limitVariable(60),
  /** In a day (UTC), of an account. */
  LIMIT_JOBS_DAY: limitVariable(100_000),
  /** In a day (UTC), of hosts on runs of an account that make no clip. */
  LIMIT_UNBILLED_MINUTES: limitVariable(24 * 60),
  /** Of one clip of an account: what a timeline can ask for at most, at the usual frame rate. */
  LIMIT_CLIP_FRAMES: limitVariable((MOST_TICKS / TICKS_A_SECOND) * DEFAULTS.fps),
  /** At a time: of one job, and of an account. */
  LIMIT_JOB_FOLLOWERS: limitVariable(50),
  LIMIT_JOBS: limitVariable(20_000),
  LIMIT_JOBS_KEPT: limitVariable(1_000_000),
  LIMIT_ASSETS: limitVariable(1000),
  LIMIT_ASSET_MIB: limitVariable(1024),
  LIMIT_DEMO_MIB: limitVariable(20 * 1024),
  LIMIT_OPEN_UPLOADS: limitVariable(200),
  LIMIT_INSPECTIONS: limitVariable(20),
};
