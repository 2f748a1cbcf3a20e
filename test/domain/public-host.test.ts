import { describe, expect, it } from 'vitest';
import { isAcceptableDemo, isCallable } from '../../domain/address-policy.ts';
import { isAcceptedDomain, isPublicHost } from '../../domain/public-host.ts';

describe('a public host', () => {
  it.each([
    'example.com',
    'EXAMPLE.com.',
    'localhost.example.com',
    '1.1.1.1',
    // One beyond each end of the ranges that are not public.
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '223.255.255.255',
    '100.63.255.255',
    '100.128.0.0',
    '101.64.0.0',
    '169.253.0.1',
    '169.255.0.1',
    '168.254.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '173.16.0.0',
    '192.167.0.1',
    '191.168.0.1',
    '193.168.0.1',
    '192.0.1.1',
    '192.0.3.1',
    '192.1.2.1',
    '191.0.0.1',
    '198.17.0.1',
    '198.20.0.1',
    '197.18.0.1',
    '198.51.99.1',
    '198.50.100.1',
    '197.51.100.1',
    '203.0.112.1',
    '203.1.113.1',
    '202.0.113.1',
    '[2606:4700::1111]',
    '[2000::1]',
    '[3fff:ffff::1]',
    '[2001:4860:4860::8888]',
    '[2001:db80::1]',
    '[2620:db8::1]',
  ])('is %s', (host) => {
    expect(isPublicHost(host)).toBe(true);
  });

  it.each([
    'localhost',
    'intranet',
    'a.localhost',
    'printer.local',
    'db.internal',
    'nas.home.arpa',
    'a.test',
    'a.example',
    'a.invalid',
    'a.onion',
    'LOCALHOST.',
    'a.LOCAL.',
    '0.0.0.0',
    '10.0.0.1',
    '127.0.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '169.254.169.254',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.0',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '[::]',
    '[::1]',
    '[::ffff:7f00:1]',
    '[fc00::1]',
    '[fe80::1]',
    '[ff02::1]',
    '[1fff::1]',
    '[4000::1]',
    '[2001::1]',
    '[2001:db8::1]',
    '[2001:0db8::1]',
    '[2001:0::1]',
    '[2002:c000:204::1]',
  ])('is not %s', (host) => {
    expect(isPublicHost(host)).toBe(false);
  });
});

describe('an accepted domain', () => {
  it('is one of the list, or lies below it, however it is written', () => {
    for (const host of ['valve.net', 'replay1.valve.net', 'VALVE.net', 'a.b.valve.net.']) {
      expect(isAcceptedDomain(host, ['faceit.com', 'valve.net'])).toBe(true);
    }
    for (const host of ['valve.net.evil.com', 'evilvalve.net', 'net', '']) {
      expect(isAcceptedDomain(host, ['faceit.com', 'valve.net'])).toBe(false);
    }
    expect(isAcceptedDomain('valve.net', [])).toBe(false);
  });

  it('is every one under a star', () => {
    expect(isAcceptedDomain('anywhere.example.org', ['*'])).toBe(true);
  });
});

describe('an address that the service calls', () => {
  const open = { allowPrivateAddresses: false };

  it('has http or https and a public host', () => {
    expect(isCallable({ protocol: 'https:', hostname: 'example.com' }, open)).toBe(true);
    expect(isCallable({ protocol: 'http:', hostname: 'example.com' }, open)).toBe(true);
    expect(isCallable({ protocol: 'ftp:', hostname: 'example.com' }, open)).toBe(false);
    expect(isCallable({ protocol: 'https:', hostname: '127.0.0.1' }, open)).toBe(false);
  });

  it('may be a private one on a local stack, and nothing else there either', () => {
    expect(isCallable({ protocol: 'http:', hostname: '127.0.0.1' }, { allowPrivateAddresses: true })).toBe(true);
    expect(isCallable({ protocol: 'file:', hostname: '' }, { allowPrivateAddresses: true })).toBe(false);
  });

  it('has a demo only if its domain is accepted too', () => {
    const policy = { ...open, acceptedDomains: ['example.com'] };
    expect(isAcceptableDemo({ protocol: 'https:', hostname: 'demos.example.com' }, policy)).toBe(true);
    expect(isAcceptableDemo({ protocol: 'https:', hostname: 'example.org' }, policy)).toBe(false);
    expect(isAcceptableDemo({ protocol: 'gopher:', hostname: 'example.com' }, policy)).toBe(false);
  });
});
