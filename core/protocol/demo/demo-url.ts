import { type AddressPolicy, callFault, isAcceptableDemo, nameOf, placeOf } from '#domain/lib/address-policy.ts';

/** Whether a demo may be downloaded from this address. Checked by the service at the submit and by the host. */
export function isAcceptableDemoUrl(text: string, policy: AddressPolicy): boolean {
  const url = URL.parse(text);
  return url !== null && isAcceptableDemo(url, policy);
}

/** Returns the demo that a URL chooses of its archive, the text after `#`; null if it chooses none. */
export function demoNameIn(text: string): string | null {
  const name = URL.parse(text)?.hash.slice(1) ?? '';
  if (name === '') return null;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Like `callFault`, for the text of a URL. Checked at the submit or the registration, and before every call. */
export function callUrlFault(text: string, policy: Omit<AddressPolicy, 'acceptedDomains'>): string | null {
  const url = URL.parse(text);
  return url === null ? 'must be an absolute URL' : callFault(url, policy);
}

/** Returns the entry of `AddressPolicy.blocked` for a domain or an http(s) URL; null for any other text. */
export function blockEntryOf(text: string): string | null {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (!url?.hostname.includes('.') || url.username || url.hash) return null;
  return url.pathname === '/' && url.search === '' ? nameOf(url) : placeOf(url) + url.search;
}
