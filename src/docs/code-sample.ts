import { Html, html } from '../pages/html.ts';
import { callTexts, LANGUAGES, type Language } from './call-text.ts';
import type { AddressedOperation } from './openapi-document.ts';

/** Returns a box of code with a heading. */
export function codeBox(title: string, code: Html): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;
}

/** Formats a value as JSON, with names and values in different colours. */
export function jsonCode(value: unknown): Html {
  return coloured(JSON.stringify(value, null, 2), JSON_TOKENS);
}

/** A quoted text, the colon after a name, a constant, a number. */
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

/** Returns samples of a call in each language. The reader chooses the language on the page. */
export function callSamples(addressed: AddressedOperation, baseUrl: string): Html {
  return samples(callTexts(addressed, baseUrl));
}

/** Returns a box for each language; one box for curl and the command line if they are equal. */
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

/** Returns the choice of the language. */
export function languageChoice(): Html {
  const choices = Object.entries(LANGUAGES).map(
    ([value, name], i) =>
      html`<label><input type="radio" name="language" value="${value}"${i === 0 ? html` checked` : null}><span>${name}</span></label>`,
  );
  return html`<fieldset class="language"><legend>Language of the samples</legend>${choices}</fieldset>`;
}
