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

type Cell = string | number | null;

/** Formats a row of CSV (RFC 4180). A spreadsheet takes no text of it for a formula. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

/** Puts an apostrophe before what begins a formula. https://owasp.org/www-community/attacks/CSV_Injection */
function formatCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell;
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
