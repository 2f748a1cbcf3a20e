import { type RenderObserver, silentRenderObserver } from '../pipeline/render-observer.ts';
import type { JobEnd } from './claim-gate.ts';

export type HostPhase = 'idle' | 'prefetch' | 'render' | 'upload';

/** Receives what the host does, for metrics. */
export interface HostObserver extends RenderObserver {
  /** The gateway has answered a claim, with a job or without. */
  claimAnswered(): void;
  phaseChanged(phase: HostPhase): void;
  fileUploaded(bytes: number): void;
  jobEnded(end: JobEnd): void;
}

export const silentObserver: HostObserver = {
  ...silentRenderObserver,
  claimAnswered: () => {},
  phaseChanged: () => {},
  fileUploaded: () => {},
  jobEnded: () => {},
};
