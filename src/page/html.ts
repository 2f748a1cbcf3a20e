import { escapeHtml } from '#domain/lib/text.ts';

/** HTML. A template escapes every other value. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | null | readonly Html[];

/** A template that escapes its values, except `Html`. null adds nothing. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((out, part, i) => out + render(values[i - 1] ?? null) + part));
}

/** Formats JSON for a script element. Escapes what could end the element or begin a comment. */
export function jsonForScript(value: unknown): Html {
  const escaped = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return new Html(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escaped));
}

function render(value: Value): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeHtml(String(value));
}

/** Makes an icon in the colour of the text, 20 pixels wide, hidden from screen readers. */
function icon(paths: string): Html {
  return new Html(
    `<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  );
}

export const ICONS = {
  link: icon(
    '<path d="M8.5 11.5a3.5 3.5 0 0 0 5 0l3-3a3.5 3.5 0 0 0-5-5L10.3 4.7M11.5 8.5a3.5 3.5 0 0 0-5 0l-3 3a3.5 3.5 0 0 0 5 5l1.2-1.2"/>',
  ),
  clock: icon('<circle cx="10" cy="10" r="7"/><path d="M10 6v4.2l2.8 1.8"/>'),
  code: icon('<path d="m7 6-4 4 4 4M13 6l4 4-4 4"/>'),
  download: icon('<path d="M10 3v9m-3.5-3.5L10 12l3.5-3.5M4 16.5h12"/>'),
  keyboard: icon(
    '<rect x="2" y="5" width="16" height="10" rx="2"/><path d="M5.5 8.5h.01M8.5 8.5h.01M11.5 8.5h.01M14.5 8.5h.01M7 12h6"/>',
  ),
};
