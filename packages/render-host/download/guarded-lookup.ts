import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isPublicHost } from '#domain/public-host.ts';

/** A name of an accepted domain resolved to a private address. */
export class PrivateAddress extends Error {}

type Callback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `lookup` for HTTP requests that refuses private addresses at the moment of the connection. Checking the URL is not
 * enough: the owner of the name decides what it resolves to, and may choose an address in the host's network.
 */
export function publicOnlyLookup(hostname: string, options: LookupOptions, callback: Callback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, []);
      return;
    }
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address, family }) => !isPublicAddress(address, family))) {
      callback(new PrivateAddress(`${hostname} has a private address`), []);
    } else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
}

function isPublicAddress(address: string, family: number): boolean {
  return isPublicHost(family === 6 ? `[${address}]` : address);
}
