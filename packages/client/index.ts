/** The exports of `import … from 'tickreel'`. */
export type { EventOptions, JobChange } from './account-events.ts';
export type { Assets } from './assets.ts';
export type { BatchItem, BatchOutcome, ClipAddresses, Clips, EmbedOptions, RenderOptions, Submitted } from './clips.ts';
export type { Demos, InspectOptions } from './demos.ts';
export { JobFailedError, TickreelError, type TickreelErrorCode } from './errors.ts';
export type { JobProgress } from './follow.ts';
export type { Including } from './including.ts';
export type { Jobs, WaitOptions } from './jobs.ts';
export type { Keys, RevokeOptions } from './keys.ts';
export type { Listing } from './listing.ts';
export type { CallOperation } from './operations.ts';
export type { Rules } from './rules.ts';
export type * from './shapes.ts';
export {
  createTickreel,
  type Tickreel,
  type TickreelOptions,
} from './tickreel.ts';
export type { RequestOptions } from './transport.ts';
export type { DemoFile, SendOptions, Uploads } from './uploads.ts';
export {
  type AccountWebhooks,
  type AnyHeaders,
  createWebhooks,
  type JobCompleted,
  type JobFailed,
  type Webhook,
  type WebhookSecret,
  type Webhooks,
} from './webhooks.ts';
