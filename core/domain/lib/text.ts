/** Characters that are removed: marks of text direction, others without a shape, unpaired surrogates. */
const INVISIBLE = /[\p{Cf}\p{Cs}]/u;
/** A joiner between two pictures, which makes one of them, such as a family or a flag. It is kept. */
const JOINED = /(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})/u;
const UNWANTED = new RegExp(`(?!${JOINED.source})${INVISIBLE.source}`, 'gu');
const BLANK = /[\p{Cc}\p{Noncharacter_Code_Point}\s]+/gu;

/** Makes a text from a demo or a client safe to show: one line, nothing invisible. The result may be empty. */
export function cleanLine(text: string): string {
  return text.replace(UNWANTED, '').replace(BLANK, ' ').trim();
}

/** Like `cleanLine`, cut to `most` code points. */
export function cleanName(name: string, most: number): string {
  const cut = [...cleanLine(name)].slice(0, most).join('');
  return cleanLine(cut);
}

/**
 * Characters that a terminal interprets: control characters (C0 without tabs and line ends, C1) and marks of text
 * direction.
 */
const ACTED_ON = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Escapes the characters that a terminal interprets, in a text of one or more lines. The escapes are those of JSON, so
 * JSON keeps its value.
 */
export function escapeControls(text: string): string {
  return text.replace(ACTED_ON, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Escapes text for element content and for quoted attribute values alike, in HTML and in XML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** Cuts a text to `most` UTF-16 units, as the protocol counts them. Never cuts a surrogate pair. */
export function cutText(text: string, most: number): string {
  const whole = text.toWellFormed();
  const cut = whole.slice(0, most);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * Returns the message of an error. `fetch failed` has its reason in its cause, a failed connection to several addresses
 * has only a code, and a failed query has its parameters in its message, so its cause is used.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || ('code' in error && typeof error.code === 'string' ? error.code : error.name);
}

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** Formats a duration: `4 min`. */
export function span(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 2 * MINUTE_S) return `${s} s`;
  if (s < 2 * HOUR_S) return `${Math.round(s / MINUTE_S)} min`;
  return s < 2 * DAY_S ? `${Math.round(s / HOUR_S)} h` : `${Math.round(s / DAY_S)} d`;
}
