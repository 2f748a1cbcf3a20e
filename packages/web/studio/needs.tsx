import type { ComponentChildren, JSX } from 'preact';
import { allows, type Scope } from '#domain/account/account.ts';

interface NeedsProps {
  readonly needed: Scope;
  /** The scope of the user's key. */
  readonly scope: Scope;
  readonly children: ComponentChildren;
}

/** Disables the controls in it if the user's key may not do what they do, and says which key may. */
export function Needs({ needed, scope, children }: NeedsProps): JSX.Element {
  const isAllowed = allows(scope, needed);
  return (
    <fieldset class="needs" disabled={!isAllowed}>
      {!isAllowed && (
        <p class="hint">
          Changes here take a key of scope {needed}. Yours is of scope {scope}.
        </p>
      )}
      {children}
    </fieldset>
  );
}
