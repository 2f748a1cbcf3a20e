import { html } from '../page/html.ts';

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [['Space', 'K'], 'Play or pause'],
  [['←', '→'], 'Back or on 5 seconds'],
  [['J', 'L'], 'Back or on 10 seconds'],
  [[',', '.'], 'One frame back or on'],
  [['0', '…', '9'], 'Jump to a tenth of the clip'],
  [['M'], 'Sound on or off'],
  [['F'], 'Full screen'],
  [['?'], 'Show or hide this list'],
];

/** The dialog with the list of keys. The key `?` opens it. */
export const HELP = html`<dialog class="help" aria-labelledby="help-title">
<h2 id="help-title">Keys</h2>
<dl>${KEYS.map(
  ([keys, what]) =>
    html`<div><dt>${keys.map((key) => (key === '…' ? html` to ` : html`<kbd>${key}</kbd>`))}</dt><dd>${what}</dd></div>\n`,
)}</dl>
<button>Close</button>
</dialog>`;
