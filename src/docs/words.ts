import { type Html, html } from '#src/page/html.ts';

/** Converts a line of CommonMark: `code` and **strong**. */
export function inline(text: string): Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
    return html`${part}`;
  });
}

export function codeBlock(code: string): Html {
  return html`<pre tabindex="0"><code>${code}</code></pre>`;
}
