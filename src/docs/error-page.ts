import { ERROR_CODES, type ErrorCode } from '#domain/failure/codes.ts';
import { ERROR_HELP } from '#domain/failure/help.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { unknownAddress } from '#src/page/note-page.ts';
import { type Html, html } from '../page/html.ts';
import { page } from '../page/words.ts';
import { docsPage } from './pages.ts';
import { inline } from './words.ts';

const RETRIED = 'The service retries by itself: in `error`, every retry has failed too.';
const FINAL = 'It is final: the service does not retry by itself.';

const pages = new Map(
  (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => [code as string, docsPage(code, () => errorBody(code))]),
);

export const errorDocs = operation({
  route: PUBLIC_ROUTES.errorDocs,
  scope: 'public',
  handler: (service, context) => {
    const page = pages.get(context.params.code);
    return page ? page(service, context) : unknownAddress(context);
  },
});

export const words = (): Words => ({
  errorDocs: {
    tag: 'Reference',
    summary: 'Read why a job fails with a code',
    description: 'Explains the causes of a code, and what to do. `docs_url` of a diagnosis links here.',
    answers: { 200: page('The page as HTML.') },
    problems: ['not_found'],
  },
});

function errorBody(code: ErrorCode): Html {
  const { meaning, retryable } = ERROR_CODES[code];
  const { causes, todo } = ERROR_HELP[code];
  const list = (sentences: readonly string[]) =>
    html`<ul>${sentences.map((one) => html`<li>${inline(one)}</li>`)}</ul>`;
  return html`<h1><code>${code}</code></h1>
<p class="lead">${meaning} ${inline(retryable ? RETRIED : FINAL)}</p>
<section><h2>What causes it</h2>${list(causes)}</section>
<section><h2>What to do</h2>${list(todo)}
<p>${inline('`GET /api/jobs/:id?include=diagnosis,attempts` says more of a job: each attempt, and what its host found.')}</p></section>
<p><a href="${href(PUBLIC_ROUTES.docs)}#error-codes">Other codes</a></p>`;
}
