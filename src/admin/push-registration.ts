import type { HostPolicy } from '#domain/host-state.ts';
import { invalidRequest } from '#http/problem.ts';
import type { Settings } from '#platform/settings.ts';
import { pushSecretOf } from '#platform/signing-secrets.ts';
import { callUrlFault } from '#protocol/demo-url.ts';
import { PushSettings } from '#protocol/push.ts';
import type { Service } from '#service/service.ts';

/** Throws a 400 problem if the service may not call that address, or if the host may not have so many jobs. */
export function requireCallable(push: PushSettings, settings: Settings): void {
  const fault = callUrlFault(push.url, settings);
  if (fault !== null) throw invalidRequest([{ path: 'push.url', message: fault }]);
  if (push.slots > settings.hostSlots) {
    throw invalidRequest([{ path: 'push.slots', message: `must be at most ${settings.hostSlots}` }]);
  }
}

/** Registers a push host and returns the secret that signs its grants. */
export async function registerPush(
  { pushHost, settings }: Pick<Service, 'pushHost' | 'settings'>,
  host: {
    readonly id: string;
    readonly push: PushSettings;
    readonly tokenSha256: string;
    readonly policy?: HostPolicy;
  },
): Promise<string> {
  await pushHost(host.id).register(host);
  return pushSecretOf(settings.clipIdSecret, host.id, host.tokenSha256);
}

/** Parses the stored settings of a push host. */
export function readPush(text: string | null): PushSettings | null {
  return text === null ? null : PushSettings.parse(JSON.parse(text));
}
