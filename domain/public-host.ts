/**
 * Whether a host may be called from the service: a public DNS name or a public IP literal. The text must come from a
 * WHATWG URL's `hostname`, which has already turned spellings such as 0x7f.1 or 2130706433 into dotted form.
 * A name that merely resolves to a private address is stopped by the platform (`global_fetch_strictly_public`).
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (host.startsWith('[')) return isPublicIpv6(host.slice(1, -1));
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return isPublicIpv4(host.split('.').map(Number));
  if (!host.includes('.')) return false;
  return !/(^|\.)(localhost|local|internal|home\.arpa|test|example|invalid|onion)$/.test(host);
}

/** Everything that IANA's special-purpose registry marks as not globally reachable. */
function isPublicIpv4(octets: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0] = octets;
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100 && b >= 64 && b <= 127) return false;
  if (a === 169 && b === 254) return false;
  if (a === 172 && b >= 16 && b <= 31) return false;
  if (a === 192 && b === 168) return false;
  if (a === 192 && b === 0 && (c === 0 || c === 2)) return false;
  if (a === 198 && (b === 18 || b === 19)) return false;
  if (a === 198 && b === 51 && c === 100) return false;
  return !(a === 203 && b === 0 && c === 113);
}

/** Global unicast is 2000::/3; within it, the documentation and the translated or tunnelled IPv4 ranges are out. */
function isPublicIpv6(address: string): boolean {
  const first = Number.parseInt(address.split(':')[0] || '0', 16);
  if (first < 0x2000 || first > 0x3fff) return false;
  if (first === 0x2002) return false;
  return !/^2001:(0?db8|0{0,4}):/.test(address) && !address.startsWith('2001::');
}

/**
 * Whether a host is on a list of accepted domains. An entry accepts itself and its subdomains; `*` accepts every host.
 */
export function isAcceptedDomain(hostname: string, domains: readonly string[]): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return domains.some((domain) => domain === '*' || host === domain || host.endsWith(`.${domain}`));
}
