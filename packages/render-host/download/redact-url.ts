/**
 * Returns a URL for logs and error details: without query, fragment and credentials, which often contain a signature.
 */
export function redactUrl(text: string): string {
  const url = URL.parse(text);
  return url === null ? 'an unreadable URL' : `${url.origin}${url.pathname}`;
}
