import { describe, expect, it } from 'vitest';
import { isAcceptedDomain, isPublicHost } from '#domain/public-host.ts';
import { HOSTILE_HOSTS } from './hostile-hosts.ts';

const PUBLIC =
  '8.254.0.1 8.168.0.1 8.9.99.1 192.5.99.1 8.88.99.1 8.9.10.16 168.63.10.16 8.9.129.16 168.9.129.16 8.63.129.16 8.18.0.1 8.19.0.1 198.5.100.1 8.51.100.1 8.9.100.1 198.51.5.1 203.0.5.1 203.5.113.1 8.0.113.1 8.9.113.1 127.0.0.1.example.com [2000::1] example.com sub.example.com demos.valve.net 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 168.63.129.15 168.63.129.17 169.253.255.255 172.15.0.1 172.32.0.1 191.255.255.255 192.0.1.1 192.88.98.1 192.88.100.1 192.167.0.1 198.17.0.1 198.20.0.1 223.255.255.255 [2001:200::1] [2001:4860:4860::8888] [2606:4700:4700::1111] [2003::1] [2a00:1450::1] [3fff:1000::1] [3ffe::1] mylocal.com localhost.com xn--bcher-kva.example.org a.local.net notsvc.io';

/** Returns the host as a WHATWG URL normalises it; null for an invalid one. */
function hostOf(host: string): string | null {
  return URL.parse(`http://${host}/x`)?.hostname ?? null;
}

describe('a host that the service must not call', () => {
  const all = Object.entries(HOSTILE_HOSTS).flatMap(([why, hosts]) => hosts.split(' ').map((host) => ({ why, host })));

  it('is refused in each of at least 150 spellings', () => {
    expect(all.length).toBeGreaterThanOrEqual(150);
    const through = all.filter(({ host }) => {
      const parsed = hostOf(host);
      return parsed !== null && isPublicHost(parsed);
    });
    expect(through).toEqual([]);
  });

  it('is distinguished from public addresses next to it', () => {
    expect(PUBLIC.split(' ').filter((host) => !isPublicHost(hostOf(host) ?? ''))).toEqual([]);
  });
});

describe('a list of accepted domains', () => {
  it('accepts a domain and its subdomains, and nothing that only looks like it', () => {
    const accepts = (host: string) => isAcceptedDomain(host, ['valve.net', 'faceit.com']);
    expect(
      ['valve.net', 'VALVE.NET', 'replay1.valve.net', 'a.b.faceit.com', 'valve.net.'].filter(accepts),
    ).toHaveLength(5);
    expect(['evilvalve.net', 'valve.net.evil.com', 'net', '', 'valve.nett'].filter(accepts)).toEqual([]);
  });

  it('accepts every host with a star', () => {
    expect(isAcceptedDomain('anything.example.com', ['*'])).toBe(true);
  });
});
