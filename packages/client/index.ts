/** The exports of `import … from 'tickreel'`. */
export type { EventOptions, JobChange } from './account-events.ts';
export type { BatchItem, BatchOutcome, ClipAddresses, Clips, EmbedOptions, RenderOptions, Submitted } from './clips.ts';
export type { Demos, InspectOptions } from './demos.ts';
export { JobFailedError, TickreelError, type TickreelErrorCode } from './errors.ts';
export type { JobProgress } from './follow.ts';
export type { Jobs, WaitOptions } from './jobs.ts';
export type { Listing } from './listing.ts';
export type { CallOperation, Including, Methods } from './operations.ts';
export type * from './shapes.ts';
export {
  type Assets,
  createTickreel,
  type Keys,
  type RevokeOptions,
  type Rules,
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
