/** What the service refused, in its own words. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Asks the service with the session's cookie. Rejects with `Refused` for every answer but 2xx. */
export async function ask<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  if (response.ok) return response.status === 204 ? (null as T) : response.json();
  const problem = await response.json().catch(() => null);
  throw new Refused(response.status, problem?.detail ?? `The service answered ${response.status}.`);
}

/** A path with its query, without what is left open. */
export function withQuery(path: string, query: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
