import { describe, expect, it } from 'vitest';
import { type AddressPolicy, callFault, isAcceptableDemo } from '#domain/lib/address-policy.ts';
import { isAcceptedDomain, isPublicHost } from '#domain/lib/public-host.ts';
import { blockEntryOf } from '#protocol/demo/demos.ts';
import { HOSTILE_HOSTS } from './hostile-hosts.ts';

describe('the policy of addresses', () => {
  const DEPLOYED = {
    allowPrivateAddresses: false,
    ownOrigins: [new URL('https://clips.example.net'), new URL('http://intern.example.net:8080')],
  };
  const LOCAL = { allowPrivateAddresses: true, ownOrigins: [new URL('http://127.0.0.1:8787')] };

  function callable(urls: string, policy: Omit<AddressPolicy, 'acceptedDomains'>): string[] {
    return urls.split(' ').filter((url) => callFault(new URL(url), policy) === null);
  }

  describe('an address that the service itself answers at', () => {
    it('is not called, under either scheme and however its name is written', () => {
      const own =
        'https://clips.example.net http://clips.example.net https://CLIPS.example.NET./api/clips https://clips.example.net:80 http://intern.example.net:8080/x';
      expect(callable(own, DEPLOYED)).toEqual([]);
    });

    it('differs from other ports and names', () => {
      const others = 'https://clips.example.net:8443/ https://hooks.clips.example.net/ http://intern.example.net/';
      expect(callable(others, DEPLOYED)).toEqual(others.split(' '));
    });

    it('is known on loopback by each of its names, and other servers of the machine are called', () => {
      const own =
        'http://127.0.0.1:8787/ http://localhost:8787/ http://127.1:8787 http://[::1]:8787/ http://[::ffff:127.0.0.1]:8787/ http://0.0.0.0:8787/ http://[::]:8787/ http://a.localhost:8787/';
      expect(callable(own, LOCAL)).toEqual([]);
      const others = 'http://127.0.0.1:9000/ http://localhost/ http://10.0.0.1:8787/ http://127.0.0.1:25/';
      expect(callable(others, LOCAL)).toEqual(others.split(' '));
    });
  });

  it('an address that is refused is named with its rule', () => {
    for (const url of ['ftp://hooks.example.org/', 'https://clips.example.net/', 'http://10.0.0.1/']) {
      expect(callFault(new URL(url), DEPLOYED)).toBe(
        'must be on a public host that is not this service, on a port for the web or from 1024 on',
      );
    }
  });

  describe('an IP address', () => {
    it('that is public is not called by a deployed service, which cannot, but demos may lie there', () => {
      for (const url of ['http://93.184.216.34/x', 'https://1572395042/x', 'https://[2606:4700:4700::1111]/x']) {
        expect(callFault(new URL(url), DEPLOYED)).toBe(
          'must have a host name: a deployed service cannot call an IP address',
        );
        expect(callFault(new URL(url), LOCAL)).toBeNull();
        expect(isAcceptableDemo(new URL(url), { ...DEPLOYED, acceptedDomains: ['*'] })).toBe(true);
      }
      expect(callable('https://93.184.216.34.sslip.io/x', DEPLOYED)).toHaveLength(1);
    });
  });

  describe('a port below 1024', () => {
    it('is called only where it is for the web, or was allowed', () => {
      const urls =
        'http://a.example.net:22/ http://a.example.net:1023/ http://a.example.net:81/ https://a.example.net:843/';
      expect(callable(urls, DEPLOYED)).toEqual([]);
      expect(callable(urls, { ...DEPLOYED, lowPorts: [81] })).toEqual(['http://a.example.net:81/']);
      expect(
        callable('http://a.example.net:443/ https://a.example.net:80/ http://a.example.net:1024/', DEPLOYED),
      ).toHaveLength(3);
    });
  });

  describe('a block', () => {
    const refusedBy = (text: string, urls: string) => {
      const policy = { ...DEPLOYED, acceptedDomains: ['*'], blocked: ['other.example', blockEntryOf(text) ?? ''] };
      return urls.split(' ').filter((url) => !isAcceptableDemo(new URL(url), policy));
    };

    it('of a domain covers its subdomains, under every scheme, port and spelling', () => {
      const urls = 'https://demos.net/a.dem http://x.DEMOS.net:8080/ https://demos.net./a.dem';
      for (const text of ['demos.net', 'Demos.net.', 'https://demos.net', 'http://demos.net/']) {
        expect(refusedBy(text, `${urls} https://mydemos.net/ https://demos.net.org/`), text).toEqual(urls.split(' '));
      }
    });

    it('of a URL covers its queries, or the one that it names, and no other path or port', () => {
      const same = 'https://demos.net/a.dem http://demos.net/a.dem?x=1 https://DEMOS.net./a.dem#b';
      const others =
        'https://demos.net/b.dem https://demos.net:8080/a.dem https://x.demos.net/a.dem https://demos.net/';
      expect(refusedBy('https://demos.net/a.dem', `${same} ${others}`)).toEqual(same.split(' '));
      expect(refusedBy('demos.net/get?id=7', 'https://demos.net/get?id=7 https://demos.net/get?id=8')).toHaveLength(1);
      expect(
        refusedBy('http://demos.net:8080/a.dem', 'http://demos.net:8080/a.dem http://demos.net/a.dem'),
      ).toHaveLength(1);
      expect(refusedBy('demos.net/?id=7', 'https://demos.net/?id=7 https://demos.net/')).toHaveLength(1);
    });

    it('is neither of a single name nor of what is no address', () => {
      for (const text of [
        'net',
        '*',
        '',
        'ftp://demos.net/a',
        'https://',
        'a b.net',
        'u:p@demos.net',
        'demos.net/#a',
      ]) {
        expect(blockEntryOf(text), text).toBeNull();
      }
    });
  });
});

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
});
