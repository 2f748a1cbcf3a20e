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
