import type { ReadRange } from '#tracks/file.ts';

/**
 * Returns what reads a file by ranges. All ranges are of one version of the file.
 *
 * @throws Error with the service's reason, from the returned function.
 */
export function rangesOf(url: string): ReadRange {
  let etag: string | null = null;
  return async (start, length) => {
    const headers = { Range: `bytes=${start}-${start + length - 1}`, ...(etag === null ? {} : { 'If-Match': etag }) };
    const response = await fetch(url, { headers });
    if (!response.ok) throw new Error(await reasonOf(response));
    etag = response.headers.get('ETag');
    const bytes = new Uint8Array(await response.arrayBuffer());
    return response.status === 206 ? bytes : bytes.slice(start, start + length);
  };
}

async function reasonOf(response: Response): Promise<string> {
  if (response.status === 412) return 'It was made again. Reload the page.';
  const problem: unknown = await response.json().catch(() => null);
  const detail = problem && typeof problem === 'object' && 'detail' in problem ? problem.detail : null;
  return typeof detail === 'string' ? detail : `The service answered ${response.status}.`;
}
