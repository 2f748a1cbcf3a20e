import type { JSX } from 'preact';
import { TickreelError } from '#client/errors.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { isUnauthorized, messageOf } from '../errors.ts';

/** A demo cannot be used, for the reason of an error code. */
export class UnfitDemo extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Shows what went wrong, with a link to the page that explains it; nothing for null. */
export function Trouble({ error }: { readonly error: unknown }): JSX.Element {
  const page = pageOf(error);
  return (
    <p role="alert" class="trouble">
      {error !== null && textOf(error)}
      {page && (
        <>
          {' '}
          <a href={page.href}>More on {page.code}</a>
        </>
      )}
    </p>
  );
}

/** What a refused key's answer advises is for programs. */
function textOf(error: unknown): string {
  return isUnauthorized(error) && error.problem ? `${error.problem.title}.` : messageOf(error);
}

function pageOf(error: unknown): { readonly code: string; readonly href: string } | null {
  if (error instanceof UnfitDemo) return { code: error.code, href: href(PUBLIC_ROUTES.errorDocs, error) };
  if (!(error instanceof TickreelError) || !error.problem) return null;
  return { code: error.code, href: new URL(error.problem.type, location.href).href };
}
