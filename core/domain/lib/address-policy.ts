import { isAcceptedDomain, isIpAddress, isLoopback, isPublicHost } from './public-host.ts';

/** Which addresses the service calls, and lets its hosts call. */
export interface AddressPolicy {
  /** Domains of demos; `*` accepts any. */
  readonly acceptedDomains: readonly string[];
  /**
   * Demos that the operator has blocked: domains with their subdomains, and addresses without their scheme. One without
   * a query covers every query.
   */
  readonly blocked?: readonly string[] | undefined;
  /** Private and loopback addresses too, on any port: only for a stack that runs on one machine. */
  readonly allowPrivateAddresses: boolean;
  /** The service's own addresses. A webhook to the API could call itself without end. */
  readonly ownOrigins?: readonly Address[] | undefined;
  /** Ports below 1024 that may be called. All others are refused, because mail, shells and databases use them. */
  readonly lowPorts?: readonly number[] | undefined;
}

/** The parts of a WHATWG URL that a policy checks. */
export interface Address {
  readonly protocol: string;
  readonly hostname: string;
  /** Empty for the scheme's own. */
  readonly port: string;
}

interface DemoAddress extends Address {
  readonly pathname: string;
  /** The query with its `?`; empty if there is none. */
  readonly search: string;
}

export const WEB_PORTS: readonly number[] = [80, 443];

/** Whether a demo may be downloaded from this address. The same rule holds for everything it redirects to. */
export function isAcceptableDemo(address: DemoAddress, policy: AddressPolicy): boolean {
  const isAccepted = isReachable(address, policy) && isAcceptedDomain(address.hostname, policy.acceptedDomains);
  const places = [placeOf(address), placeOf(address) + address.search];
  const isBlocked = (entry: string) =>
    entry.includes('/') ? places.includes(entry) : isAcceptedDomain(address.hostname, [entry]);
  return isAccepted && !policy.blocked?.some(isBlocked);
}

/** Returns an address without scheme and query. */
export function placeOf(address: Omit<DemoAddress, 'search' | 'protocol'>): string {
  return `${nameOf(address)}${address.port && ':'}${address.port}${address.pathname}`;
}

/**
 * Returns the rule that an address of a webhook or a push host breaks, such as "must have a host name"; null if the
 * service may call it.
 */
export function callFault(address: Address, policy: Omit<AddressPolicy, 'acceptedDomains'>): string | null {
  if (!isReachable(address, policy)) {
    return 'must be on a public host that is not this service, on a port for the web or from 1024 on';
  }
  // Cloudflare answers a Worker's call of an IP address with error 1003. Render hosts may download from one.
  const isRefused = !policy.allowPrivateAddresses && isIpAddress(address.hostname);
  return isRefused ? 'must have a host name: a deployed service cannot call an IP address' : null;
}

/** Whether an address is neither private nor the service itself. */
function isReachable(address: Address, policy: Omit<AddressPolicy, 'acceptedDomains'>): boolean {
  const { protocol, hostname } = address;
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  if (policy.ownOrigins?.some((origin) => isSameServer(address, origin))) return false;
  if (policy.allowPrivateAddresses) return true;
  const port = portOf(address);
  return isPublicHost(hostname) && (port >= 1024 || (policy.lowPorts ?? WEB_PORTS).includes(port));
}

/** Compares two addresses by server: the usual ports of both schemes count as one, and so do all names of loopback. */
function isSameServer(a: Address, b: Address): boolean {
  const isSamePort = portOf(a) === portOf(b) || (WEB_PORTS.includes(portOf(a)) && WEB_PORTS.includes(portOf(b)));
  const bothLoopback = isLoopback(a.hostname) && isLoopback(b.hostname);
  return isSamePort && (bothLoopback || nameOf(a) === nameOf(b));
}

/** Returns the host name without a dot at its end, as a resolver reads it. */
export function nameOf({ hostname }: Pick<Address, 'hostname'>): string {
  return hostname.toLowerCase().replace(/\.+$/, '');
}

function portOf({ protocol, port }: Address): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
