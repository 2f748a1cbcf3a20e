/** A server-sent event of the HTML standard. A client repeats its id as `Last-Event-ID`. */
export interface ServerEvent {
  readonly id: string;
  /** Sent as JSON. */
  readonly data: unknown;
}

/** How long a client waits before it reconnects. */
const RETRY_MS = 2000;

/** Formats an event. The first one of a stream has the time before a reconnect. */
export function eventText({ id, data }: ServerEvent, isFirst = false): string {
  return `${isFirst ? `retry: ${RETRY_MS}\n` : ''}id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment, which clients ignore. It shows that the stream is open. */
export const COMMENT = ':\n\n';
export const COMMENT_EVERY_MS = 15_000;
