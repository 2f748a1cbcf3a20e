/** A URL fit for logs and error details: without its query, fragment and credentials, which often are the signature. */
export function redactUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? 'an unreadable URL' : `${url.origin}${url.pathname}`;
}
