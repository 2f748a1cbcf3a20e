import { isAcceptedDomain, isPublicHost } from '../domain/public-host.ts';

/** Which addresses the service calls, and lets its hosts call. */
export interface AddressPolicy {
  /** Domains a demo may come from; `*` stands for any. */
  readonly acceptedDomains: readonly string[];
  /** Private and loopback addresses too: only for a stack that runs on one machine. */
  readonly allowPrivateAddresses: boolean;
}

/** Whether a demo may be downloaded from this address. The same rule holds for everything it redirects to. */
export function isAcceptableDemoUrl(text: string, policy: AddressPolicy): boolean {
  const url = URL.parse(text);
  return url !== null && isCallable(url, policy) && isAcceptedDomain(url.hostname, policy.acceptedDomains);
}

/** Whether a webhook may be sent to this address. */
export function isCallableUrl(text: string, policy: Pick<AddressPolicy, 'allowPrivateAddresses'>): boolean {
  const url = URL.parse(text);
  return url !== null && isCallable(url, policy);
}

function isCallable(url: URL, policy: Pick<AddressPolicy, 'allowPrivateAddresses'>): boolean {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  return policy.allowPrivateAddresses || isPublicHost(url.hostname);
}
