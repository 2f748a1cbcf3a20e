import {
  type ComponentChildren,
  createContext,
  type InputHTMLAttributes,
  type JSX,
  type TargetedSubmitEvent,
} from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import type { FieldError } from '#client/shapes.ts';
import { fieldErrorsOf, messageOf } from './format.ts';

export interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** The id of a row: a row keeps its elements, and so the focus, while others come and go. */
  readonly idOf?: (row: Row) => string;
  /** The cell of a row, by the heading of its column. */
  readonly columns: Readonly<Record<string, (row: Row) => ComponentChildren>>;
}

/** Returns a table. A narrow window shows each row as a card. */
export function Table<Row>({ label, rows, idOf, columns }: TableProps<Row>): JSX.Element {
  if (rows.length === 0) return <p class="hint">No {label}.</p>;
  const heads = Object.keys(columns).map((name) => <th scope="col">{name}</th>);
  const cellsOf = (row: Row) =>
    Object.entries(columns).map(([name, cell]) => (
      <td data-label={name}>
        <div>{cell(row)}</div>
      </td>
    ));
  return (
    <table aria-label={label}>
      <thead>
        <tr>{heads}</tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf?.(row)}>{cellsOf(row)}</tr>
        ))}
      </tbody>
    </table>
  );
}

const busy = new WeakSet<EventTarget>();

/** Runs the action of a button or a form. Ignores further clicks until the action has ended. */
function once(element: EventTarget, work: () => unknown): void {
  if (busy.has(element)) return;
  busy.add(element);
  void Promise.resolve(work()).finally(() => busy.delete(element));
}

export interface ButtonProps {
  readonly text: string;
  readonly label?: string | undefined;
  readonly isDanger?: boolean | undefined;
  onClick(): unknown;
}

/**
 * Returns a button. `label`: its accessible name, if the text alone is not clear. `onClick` may return a promise: the
 * button ignores clicks until it is settled.
 */
export function Button({ text, label, isDanger, onClick }: ButtonProps): JSX.Element {
  const click = ({ currentTarget }: { currentTarget: EventTarget }) => once(currentTarget, onClick);
  return (
    <button type="button" aria-label={label} class={isDanger ? 'danger' : ''} onClick={click}>
      {text}
    </button>
  );
}

/** What is wrong with the values of the form around a field. */
const FormErrors = createContext<readonly FieldError[]>([]);

/** With `options` it is a select; an empty option is shown as "any". `value`: its first value, and after a reset. */
type FieldProps = InputHTMLAttributes & {
  readonly label: string;
  readonly options?: readonly string[];
  /** What is shown below it. */
  readonly hint?: ComponentChildren;
};

/** Returns an input or a select, with its label above it, and below it its hint and what the service said of it. */
export function Field({ label, options, value, hint, ...attributes }: FieldProps): JSX.Element {
  const id = useId();
  const wrong = useContext(FormErrors).filter(({ path }) => path !== '' && path === attributes.name);
  const choice = (option: string) => (
    <option key={option} value={option} {...{ defaultSelected: option === value }}>
      {option || 'any'}
    </option>
  );
  const isNoted = hint !== undefined || wrong.length > 0;
  const aria = {
    ...(isNoted && { 'aria-describedby': id }),
    ...(wrong.length > 0 && { 'aria-invalid': true }),
  };
  return (
    <div class="field">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: each branch has one */}
      <label>
        <span>{label}</span>
        {options ? (
          <select name={attributes.name} {...aria}>
            {options.map(choice)}
          </select>
        ) : (
          <input {...attributes} {...{ defaultValue: value }} {...aria} />
        )}
      </label>
      {isNoted && (
        <small id={id}>
          {hint}
          {wrong.map(({ message }) => (
            <em class="wrong">{message}</em>
          ))}
        </small>
      )}
    </div>
  );
}

interface FormProps {
  readonly label?: string;
  /** The text of its button. */
  readonly submit: string;
  readonly isMain?: boolean;
  readonly isDanger?: boolean;
  /** Whether a success gives all fields their first values again. */
  readonly isReset?: boolean;
  /**
   * Gets the values without empty ones. May return a promise, as a button's `onClick`. If that rejects, the form shows
   * why: each wrong value at its field, where `path` is the field's name.
   */
  onSend(values: Record<string, string>): unknown;
  readonly children?: ComponentChildren;
}

export function Form({ label, submit, isMain, isDanger, isReset, onSend, children }: FormProps): JSX.Element {
  const [{ errors, why }, setWrong] = useState(NOTHING_WRONG);
  const form = useRef<HTMLFormElement>(null);
  // Goes to the first wrong field.
  useEffect(() => {
    if (errors.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [errors]);
  const send = async (sent: HTMLFormElement) => {
    const values = [...new FormData(sent)].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    );
    setWrong(NOTHING_WRONG);
    try {
      await onSend(Object.fromEntries(values));
      if (isReset) sent.reset();
    } catch (error) {
      const wrong = fieldErrorsOf(error);
      const isShown = wrong.length > 0 && wrong.every(({ path }) => path !== '' && sent.elements.namedItem(path));
      setWrong({ errors: wrong, why: isShown ? '' : messageOf(error) });
    }
  };
  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { currentTarget } = event;
    once(currentTarget, () => send(currentTarget));
  };
  return (
    <FormErrors.Provider value={errors}>
      <form ref={form} class={label && 'filters'} aria-label={label} onSubmit={onSubmit}>
        {children}
        <button type="submit" class={[isMain && 'main', isDanger && 'danger'].filter(Boolean).join(' ')}>
          {submit}
        </button>
        {why && (
          <p class="wrong" role="alert">
            {why}
          </p>
        )}
      </form>
    </FormErrors.Provider>
  );
}
const NOTHING_WRONG: { readonly errors: readonly FieldError[]; readonly why: string } = { errors: [], why: '' };

/** Returns a progress bar. `label`: the id of its name. `value`: 0 to 1; null if that is unknown. */
export function Progress({ label, value }: { readonly label: string; readonly value: number | null }): JSX.Element {
  // Without a key, Preact would set an unknown value to 0.
  if (value === null) return <progress key="unknown" aria-labelledby={label} />;
  return <progress key="known" aria-labelledby={label} max={1} value={value} />;
}

interface DialogProps {
  readonly label: string;
  /** The text of its button. */
  readonly close?: string;
  onClose(): void;
  readonly children?: ComponentChildren;
}

/** Returns a modal dialog. It is open as long as it is rendered. Then the focus goes back to where it was. */
export function Dialog({ label, close = 'Close', onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-label={label} onClose={onClose}>
      <div class="bar">
        <b>
          <bdi>{label}</bdi>
        </b>
        <Button text={close} onClick={() => dialog.current?.close()} />
      </div>
      {children}
    </dialog>
  );
}

/** Returns a button that copies a text. Browsers allow that only over HTTPS and on loopback. */
export function Copy({ text }: { readonly text: string }): JSX.Element | false {
  const copy = (event: { currentTarget: HTMLElement }) => {
    const { currentTarget } = event;
    void navigator.clipboard.writeText(text).then(() => (currentTarget.textContent = 'Copied'));
  };
  return (
    isSecureContext && (
      <button type="button" class="copy" onClick={copy}>
        Copy
      </button>
    )
  );
}

export interface SecretText {
  readonly title: string;
  readonly text: string;
}

/** Shows a secret once, with a button that copies it. */
export function Secret({ title, text, onClose }: SecretText & { onClose(): void }): JSX.Element {
  return (
    <Dialog label={title} close="I have it" onClose={onClose}>
      <p>It is shown this once.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to reach what is copied */}
      <code class="secret" tabIndex={0}>
        {text}
      </code>
      <Copy text={text} />
    </Dialog>
  );
}
