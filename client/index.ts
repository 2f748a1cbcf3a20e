/** What `import … from 'tickreel'` gives. */
export type { Assets } from './assets.ts';
export type { ChangesOptions, JobChange } from './changes.ts';
export type { Clips, ClipUrls, RenderOptions, Submitted } from './clips.ts';
export type { Demos } from './demos.ts';
export { JobFailedError, TickreelError } from './errors.ts';
export type { JobProgress } from './follow.ts';
export type { Jobs, WaitOptions } from './jobs.ts';
export type { Listing } from './listing.ts';
export type { CallOperation } from './operations.ts';
export type * from './shapes.ts';
export {
  createTickreel,
  createTickreelOperator,
  type OperatorOptions,
  type Tickreel,
  type TickreelOperator,
  type TickreelOptions,
} from './tickreel.ts';
export type { RequestOptions } from './transport.ts';
export type { DemoFile, SendOptions, Uploads } from './uploads.ts';
export type { AnyHeaders, JobCompleted, JobFailed, Webhook, Webhooks } from './webhooks.ts';
