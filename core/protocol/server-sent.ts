/** One server-sent event, as the HTML standard has them. What follows `Last-Event-ID` is the id of one. */
export interface ServerEvent {
  readonly id: string;
  /** JSON of it is the data. */
  readonly data: unknown;
}

/** How long a client waits before it connects again. */
const RETRY_MS = 2000;

/** The text of an event; the first one of a stream says how long to wait before another connection. */
export function eventText({ id, data }: ServerEvent, isFirst = false): string {
  return `${isFirst ? `retry: ${RETRY_MS}\n` : ''}id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Ignored by readers: it shows that the stream lives. */
export const COMMENT = ':\n\n';
export const COMMENT_EVERY_MS = 15_000;
