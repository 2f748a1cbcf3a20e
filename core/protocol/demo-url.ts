import { type AddressPolicy, isAcceptableDemo, isCallable } from '#domain/address-policy.ts';

/** Whether a demo may be downloaded from this address. Checked by the service at the submit and by the host. */
export function isAcceptableDemoUrl(text: string, policy: AddressPolicy): boolean {
  const url = URL.parse(text);
  return url !== null && isAcceptableDemo(url, policy);
}

/** Whether a webhook may be sent to this address. Checked at the submit and before every attempt. */
export function isCallableUrl(text: string, policy: Omit<AddressPolicy, 'acceptedDomains'>): boolean {
  const url = URL.parse(text);
  return url !== null && isCallable(url, policy);
}
