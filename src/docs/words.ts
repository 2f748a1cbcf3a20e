import { Html, html } from '../pages/html.ts';

/** Converts paragraphs of CommonMark: `code` and **strong**, nothing else. */
export function paragraphs(text: string): Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

/** Converts a line of CommonMark: `code` and **strong**. */
export function inline(text: string): Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
    return html`${part}`;
  });
}

/** Joins pieces of a page with text between them. */
export function joined(pieces: readonly Html[], between: string): Html {
  return new Html(pieces.map(({ text }) => text).join(html`${between}`.text));
}
