/**
 * Whether the service may call a host: a public DNS name or a public IP literal. The text must be a WHATWG URL's
 * `hostname`, which is normalised (0x7f.1 and 2130706433 are dotted). The platform blocks names that resolve to private
 * addresses (`global_fetch_strictly_public`).
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (host.startsWith('[')) return isPublicIpv6(host.slice(1, -1));
  if (IPV4.test(host)) return isPublicIpv4(host.split('.').map(Number));
  // An empty label, as in `name..`: resolvers treat it differently.
  if (!host.includes('.') || host.split('.').includes('')) return false;
  return !PRIVATE_NAMES.test(host);
}

/** Whether the host is an IP address. The text is a URL's `hostname`. */
export function isIpAddress(hostname: string): boolean {
  return hostname.startsWith('[') || IPV4.test(hostname);
}

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;

/** Reserved names (RFC 6761, 6762, 7686, 8375, 9476) and names that private networks use. */
const PRIVATE_NAMES =
  /(^|\.)(localhost|local|internal|home\.arpa|test|example|invalid|onion|alt|svc|lan|corp|home|mail|consul|intranet|private|localdomain)$/;

/** Whether the host is this machine, in any spelling. The text is a URL's `hostname`. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  // Most systems connect 0.0.0.0 and :: to loopback.
  return /^(127(\.\d+){3}|0\.0\.0\.0|(.+\.)?localhost|\[::1?\]|\[::ffff:(7f[0-9a-f]{2}:[0-9a-f]+|0:0)\])$/.test(host);
}

/** Excludes what IANA's special-purpose registry marks as not globally reachable. */
function isPublicIpv4(octets: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100 && b >= 64 && b <= 127) return false;
  if (a === 169 && b === 254) return false;
  if (a === 172 && b >= 16 && b <= 31) return false;
  if (a === 192 && b === 168) return false;
  if (a === 192 && b === 0 && (c === 0 || c === 2)) return false;
  // Relays of 6to4, deprecated by RFC 7526.
  if (a === 192 && b === 88 && c === 99) return false;
  // Metadata service of a large cloud.
  if (a === 168 && b === 63 && c === 129 && d === 16) return false;
  if (a === 198 && (b === 18 || b === 19)) return false;
  if (a === 198 && b === 51 && c === 100) return false;
  return !(a === 203 && b === 0 && c === 113);
}

/**
 * Global unicast is 2000::/3, without IANA's special blocks (2001::/23 with tunnels, benchmarks and overlays;
 * documentation; 6to4). A WHATWG URL writes groups without leading zeros.
 */
function isPublicIpv6(address: string): boolean {
  const groups = address.split('::')[0]?.split(':') ?? [];
  // `::` may omit the second.
  const [first = 0, second = 0] = groups.map((group) => Number.parseInt(group || '0', 16));
  if (first < 0x2000 || first > 0x3fff || first === 0x2002) return false;
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  return !(first === 0x3fff && second < 0x1000);
}

/**
 * Whether a host is on a list of accepted domains. An entry accepts itself and its subdomains; `*` accepts every host.
 */
export function isAcceptedDomain(hostname: string, domains: readonly string[]): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return domains.some((domain) => domain === '*' || host === domain || host.endsWith(`.${domain}`));
}
