import { isAcceptedDomain, isPublicHost } from './public-host.ts';

/** Which addresses the service calls, and lets its hosts call. */
export interface AddressPolicy {
  /** Domains a demo may come from; `*` stands for any. */
  readonly acceptedDomains: readonly string[];
  /** Private and loopback addresses too: only for a stack that runs on one machine. */
  readonly allowPrivateAddresses: boolean;
}

/** The parts of a WHATWG URL that are asked for. */
export interface Address {
  readonly protocol: string;
  readonly hostname: string;
}

/** Whether a demo may be downloaded from this address. The same rule holds for everything it redirects to. */
export function isAcceptableDemo(address: Address, policy: AddressPolicy): boolean {
  return isCallable(address, policy) && isAcceptedDomain(address.hostname, policy.acceptedDomains);
}

/** Whether the service may call this address, as it does with webhooks. */
export function isCallable(
  { protocol, hostname }: Address,
  { allowPrivateAddresses }: Pick<AddressPolicy, 'allowPrivateAddresses'>,
): boolean {
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return allowPrivateAddresses || isPublicHost(hostname);
}
