import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { domainList } from '#protocol/lib/shapes.ts';

const EXAMPLE = /(^|\.)example(\.(com|net|org))?$/;
export const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns why a text cannot be a service's address, as in "is only an example"; null if it can. */
export function addressFault(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.host === '') return 'is not an address such as https://clips.your-domain.dev';
  if (EXAMPLE.test(url.hostname)) return 'is only an example: use an address of your own';
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return 'must have no path, query or fragment';
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
  return isSafe ? null : 'must begin with https://';
}

interface PublicOptions {
  readonly demoDomains?: string | undefined;
  /** A file of further variables, as lines of `NAME=value`. */
  readonly file?: string | undefined;
}

/** Variables of the platform, of options and of the data folder. */
const NOT_HERE = [
  ...['JURISDICTION', 'LOCATION_HINT'],
  ...['ENVIRONMENT', 'BASE_URL', 'ADMIN_TOKEN', 'CLIP_ID_SECRET', 'FENCE_FLOOR'],
];

/**
 * Returns the variables of a stack that serves others: those of a deployment. Throws an Error if one is missing that
 * only a private stack has a default for.
 */
export function publicVariables(publicUrl: string, { demoDomains, file }: PublicOptions): Record<string, string> {
  const fault = addressFault(publicUrl);
  if (fault !== null) throw new Error(`--public-url ${publicUrl} ${fault}`);
  const given = file === undefined ? {} : parseEnv(readFileSync(file, 'utf8'));
  const wrong = NOT_HERE.filter((name) => name in given);
  if (wrong.length > 0) throw new Error(`${file} sets ${wrong.join(' and ')}, which is not for one machine`);
  const domains = demoDomains ?? given.ACCEPTED_DEMO_DOMAINS;
  if (domains === undefined) {
    throw new Error(
      '--public-url needs --demo-domains: whose demos does this machine download? * for anybody on the net',
    );
  }
  if (!domainList.safeParse(domains).success) {
    throw new Error(`--demo-domains ${JSON.stringify(domains)} are no names of domains`);
  }
  return {
    // Only the proxy reaches the service, and names the client.
    CLIENT_ADDRESS_HEADER: 'X-Real-IP',
    ...given,
    ENVIRONMENT: 'production',
    BASE_URL: publicUrl.replace(/\/+$/, ''),
    ACCEPTED_DEMO_DOMAINS: domains,
  } as Record<string, string>;
}
