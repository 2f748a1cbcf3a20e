/** The exports of `import … from 'tickreel'`. */
export type * from './clips.ts';
export type { Demos, InspectOptions } from './demos.ts';
export { JobFailedError, TickreelError, type TickreelErrorCode } from './errors.ts';
export type { EventOptions, JobChange } from './events.ts';
export type { JobProgress, Jobs, WaitOptions } from './follow.ts';
export type { CallOperation, Including, Listing, Methods } from './operations.ts';
export type * from './shapes.ts';
export type * from './tickreel.ts';
export { createTickreel } from './tickreel.ts';
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
