import { Html, html } from '../pages/html.ts';
import { callTexts, LANGUAGES, type Language } from './call-text.ts';
import type { AddressedOperation } from './openapi-document.ts';

/** A box of code under a heading. */
export function codeBox(title: string, code: Html): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;
}

/** A value as JSON, its names and values told apart by colour. */
export function jsonCode(value: unknown): Html {
  return coloured(JSON.stringify(value, null, 2), JSON_TOKENS);
}

/** A text in quotes, the colon that makes it a name, a constant, a number. */
const JSON_TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(?<![\w.-])(-?\d+(?:\.\d+)?)\b/g;
const CODE_TOKENS =
  /("[^"]*"|'[^'\n]*'|`[^`]*`)(\s*:)?|\b(true|false|null|True|False|None)\b|(?<![\w.-])(-?\d+(?:\.\d+)?)\b/g;

function coloured(text: string, tokens: RegExp): Html {
  let at = 0;
  let out = '';
  for (const match of text.matchAll(tokens)) {
    const [token, quoted, colon] = match;
    const kind = quoted === undefined ? 'n' : colon === undefined ? 's' : 'k';
    out += html`${text.slice(at, match.index)}<i class="${kind}">${quoted ?? token}</i>${colon ?? null}`.text;
    at = match.index + token.length;
  }
  return new Html(out + html`${text.slice(at)}`.text);
}

/** How to make the call in each language. The reader chooses on the page which of them is shown. */
export function callSamples(addressed: AddressedOperation, baseUrl: string): Html {
  return samples(callTexts(addressed, baseUrl));
}

/** The same thing in several languages, of which one is shown; two that are the same stand in one box. */
export function samples(texts: Readonly<Record<Language, string>>): Html {
  const isWithoutCli = texts.cli === texts.curl;
  const boxes = (Object.keys(LANGUAGES) as Language[]).flatMap((language) => {
    if (language === 'cli' && isWithoutCli) return [];
    const shownFor = language === 'curl' && isWithoutCli ? 'curl cli' : language;
    const tokens = language === 'curl' || language === 'cli' ? JSON_TOKENS : CODE_TOKENS;
    return [html`<div class="${shownFor}">${codeBox(LANGUAGES[language], coloured(texts[language], tokens))}</div>`];
  });
  return html`${boxes}`;
}

/** Where the reader chooses the language. */
export function languageChoice(): Html {
  const choices = Object.entries(LANGUAGES).map(
    ([value, name], i) =>
      html`<label><input type="radio" name="language" value="${value}"${i === 0 ? html` checked` : null}><span>${name}</span></label>`,
  );
  return html`<fieldset class="language"><legend>Language of the samples</legend>${choices}</fieldset>`;
}
