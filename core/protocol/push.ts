import * as z from 'zod';
import { HostCapabilities } from './host-capabilities.ts';
import { httpUrl } from './submit.ts';

/** The address and the capabilities of a push host. It does not poll, so the operator sets them. */
export const PushSettings = z
  .strictObject({
    url: httpUrl('the host', 'Where grants are sent to, with POST. The rules for addresses of webhooks hold.'),
    slots: z.int().min(1).meta({ description: 'How many jobs it may have at a time; at most `HOST_SLOTS`.' }),
    capabilities: HostCapabilities.omit({ agent_version: true, gpu: true, encoder: true, golden: true }).meta({
      id: 'PushCapabilities',
      description: 'What the host can do. It is never sent a job beyond that.',
    }),
  })
  .meta({ id: 'PushSettings', description: 'A host that is sent its jobs instead of polling for them.' });
export type PushSettings = z.infer<typeof PushSettings>;

/** Whether the push host has taken the grant. Any other status is a fault of the host. */
export const PUSH_ANSWERS = { taken: 202, full: 429, away: 503 } as const;
