import * as z from 'zod';
import { HEADER_VALUE, httpUrl } from '../clip/submit.ts';
import { headerName } from '../lib/shapes.ts';
import { HostCapabilities } from './host-capabilities.ts';

/** The address and the capabilities of a push host. It does not poll, so the operator sets them. */
export const PushSettings = z
  .strictObject({
    url: httpUrl('the host', 'Address to which grants are posted. The rules for webhook addresses apply.'),
    slots: z.int().min(1).describe('Number of jobs that the host may have at the same time. At most `HOST_SLOTS`.'),
    capabilities: HostCapabilities.omit({
      agent_version: true,
      gpu: true,
      encoder: true,
      driver: true,
      free_bytes: true,
      clock_off_s: true,
    }).meta({
      id: 'PushCapabilities',
      description: 'The abilities of the host. A host is never sent a job beyond them.',
    }),
  })
  .meta({ id: 'PushSettings', description: 'Settings of a host that is sent its jobs instead of polling for them.' });
export type PushSettings = z.infer<typeof PushSettings>;

/** Headers that the service, the connection or Cloudflare sets. `CF-Access-…` is for Cloudflare Access. */
const RESERVED = /^(webhook-|x-service-|content-|transfer-|cf-(?!access-)|(host|connection|upgrade|user-agent)$)/i;

/** Headers that a login proxy or a tunnel in front of a push host asks for. */
export const SecretHeaders = z
  .strictObject({
    headers: z
      .record(
        headerName
          .max(100)
          .refine(
            (name) => !RESERVED.test(name),
            'must not be a header that the service, the connection or Cloudflare sets',
          ),
        z.string().max(4096).regex(HEADER_VALUE, 'must be printable ASCII, with spaces and tabs only within'),
      )
      .refine((headers) => Object.keys(headers).length <= 8, 'must have at most 8 headers')
      .meta({
        description: 'All headers by name. `{}` removes them. They are sent with each grant, and never shown again.',
        examples: [{ 'CF-Access-Client-Id': '88bf3b6d.access', 'CF-Access-Client-Secret': 'a-secret' }],
      }),
  })
  .meta({ id: 'SecretHeaders', description: 'The headers that a proxy in front of a push host requires.' });

/** Whether the push host has taken the grant. Any other status is a fault of the host. */
export const PUSH_ANSWERS = { taken: 202, full: 429, away: 503 } as const;
