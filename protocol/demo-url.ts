import { type AddressPolicy, isAcceptableDemo } from '../domain/address-policy.ts';

/** Whether a demo may be downloaded from this address: asked by the service at the submit, and by the host again. */
export function isAcceptableDemoUrl(text: string, policy: AddressPolicy): boolean {
  const url = URL.parse(text);
  return url !== null && isAcceptableDemo(url, policy);
}
