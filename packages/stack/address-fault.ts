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
