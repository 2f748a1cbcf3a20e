import * as z from 'zod';
import { HostCapabilities } from './host-capabilities.ts';
import { httpUrl } from './submit.ts';

/** How a push host is reached and what it can do. It does not poll, so the operator says so. */
export const PushSettings = z
  .strictObject({
    url: httpUrl('the host', 'Where grants are sent to, with POST. The rules for addresses of webhooks hold.'),
    slots: z.int().min(1).meta({ description: 'How many jobs it may have at a time; at most `HOST_SLOTS`.' }),
    capabilities: HostCapabilities.omit({ agent_version: true, gpu: true, encoder: true }).meta({
      id: 'PushCapabilities',
      description: 'What the host can do. It is never sent a job beyond that.',
    }),
  })
  .meta({ id: 'PushSettings', description: 'A host that is sent its jobs instead of polling for them.' });
export type PushSettings = z.infer<typeof PushSettings>;

/** Whether the host has taken the grant that it was sent. Any other answer means that something is wrong with it. */
export const PUSH_ANSWERS = { taken: 202, full: 429, away: 503 } as const;
