import { escapeHtml } from '#domain/lib/clean-text.ts';

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
  return new Html(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${hex4(c)}`));
}

function hex4(c: string): string {
  return c.charCodeAt(0).toString(16).padStart(4, '0');
}

function render(value: Value): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeHtml(String(value));
}
