import type { ComponentChildren, InputHTMLAttributes, JSX, TargetedSubmitEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** The cell of a row, by the heading of its column. */
  readonly columns: Readonly<Record<string, (row: Row) => ComponentChildren>>;
}

/** Returns a table. A narrow window shows each row as a card. */
export function Table<Row>({ label, rows, columns }: TableProps<Row>): JSX.Element {
  if (rows.length === 0) return <p class="hint">No {label}.</p>;
  const heads = Object.keys(columns).map((name) => <th scope="col">{name}</th>);
  const cellsOf = (row: Row) => Object.entries(columns).map(([name, cell]) => <td data-label={name}>{cell(row)}</td>);
  return (
    <table aria-label={label}>
      <thead>
        <tr>{heads}</tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>{cellsOf(row)}</tr>
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

/**
 * Returns a button. `label`: its accessible name, if the text alone is not clear. `onClick` may return a promise: the
 * button ignores clicks until it is settled.
 */
export function Button({ text, label, onClick }: { text: string; label?: string; onClick(): unknown }): JSX.Element {
  const click = ({ currentTarget }: { currentTarget: EventTarget }) => once(currentTarget, onClick);
  return (
    <button type="button" aria-label={label} onClick={click}>
      {text}
    </button>
  );
}

/** With `options` it is a select; an empty option is shown as "any". */
type FieldProps = InputHTMLAttributes & { readonly label: string; readonly options?: readonly string[] };

/** Returns an input or a select, with its label above it. */
export function Field({ label, options, ...attributes }: FieldProps): JSX.Element {
  const choice = (option: string) => (
    <option key={option} value={option} selected={option === attributes.value}>
      {option || 'any'}
    </option>
  );
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: each branch has one
    <label>
      <span>{label}</span>
      {options ? <select name={attributes.name}>{options.map(choice)}</select> : <input {...attributes} />}
    </label>
  );
}

interface FormProps {
  readonly label?: string;
  /** The text of its button. */
  readonly submit: string;
  readonly isMain?: boolean;
  /** Gets the values without empty ones. May return a promise, as a button's `onClick`. */
  onSend(values: Record<string, string>): unknown;
  readonly children: ComponentChildren;
}

export function Form({ label, submit, isMain, onSend, children }: FormProps): JSX.Element {
  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const values = [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    );
    once(form, () => onSend(Object.fromEntries(values)));
  };
  return (
    <form class={label && 'filters'} aria-label={label} onSubmit={onSubmit}>
      {children}
      <button type="submit" class={isMain ? 'main' : ''}>
        {submit}
      </button>
    </form>
  );
}

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

/** Returns a modal dialog. It is open from its first render on. */
export function Dialog({ label, close = 'Close', onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
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
