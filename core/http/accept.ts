/** Parses the weights of a list such as `gzip;q=0.5, *;q=0` (RFC 9110 section 12.4.2), by value in lower case. */
export function weightsOf(header: string | null): Map<string, number> {
  const entries = (header ?? '').toLowerCase().split(',');
  return new Map(
    entries.map((entry) => {
      const [value = '', ...parameters] = entry.split(';').map((part) => part.trim());
      return [value, Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)];
    }),
  );
}

/**
 * Whether a client accepts gzip and prefers no other encoding (RFC 9110 section 12.5.3). A client that names no
 * encoding gets an uncompressed body. Cloudflare and its local runtime replace the header; the client's own is in `cf`.
 */
export function takesGzip({ headers, cf }: { headers: Headers; cf?: unknown }): boolean {
  const { clientAcceptEncoding } = Object(cf) as { clientAcceptEncoding?: string };
  const weights = weightsOf(clientAcceptEncoding ?? headers.get('Accept-Encoding'));
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}
