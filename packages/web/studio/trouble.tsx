import type { JSX } from 'preact';
import { TickreelError } from '#client/errors.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { isUnauthorized, messageOf } from '../parts/errors.ts';

/** Returns the error of a demo that cannot be used. `code`: as of a job. */
export function unfitDemo(code: string, message: string): TickreelError {
  return new TickreelError(code, message, { docsUrl: href(PUBLIC_ROUTES.errorDocs, { code }) });
}

/** Shows what went wrong, with a link to the page that explains it; nothing for null. */
export function Trouble({ error }: { readonly error: unknown }): JSX.Element {
  // The detail of a refused key is for programs.
  const text = isUnauthorized(error) && error.problem ? `${error.problem.title}.` : messageOf(error);
  return (
    <p role="alert" class="trouble">
      {error !== null && text}
      {error instanceof TickreelError && error.docsUrl && (
        <>
          {' '}
          <a href={error.docsUrl}>More on {error.code}</a>
        </>
      )}
    </p>
  );
}
