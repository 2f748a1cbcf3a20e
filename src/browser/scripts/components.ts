import { type ComponentChildren, h, type JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** What the studio and the console are made of. */
export { h };
export type Child = ComponentChildren;
type Attributes = Readonly<Record<string, unknown>>;

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => Child;
}

/** A table that a narrow window shows as a card for each row. */
export function table<Row>(label: string, rows: readonly Row[], columns: readonly Column<Row>[]): JSX.Element {
  if (rows.length === 0) return h('p', { class: 'hint' }, `No ${label}.`);
  const heads = columns.map(({ name }) => h('th', { scope: 'col' }, name));
  const lines = rows.map((row) =>
    h(
      'tr',
      {},
      columns.map(({ name, cell }) => h('td', { 'data-label': name }, cell(row))),
    ),
  );
  return h('table', { 'aria-label': label }, h('thead', {}, h('tr', {}, heads)), h('tbody', {}, lines));
}

const busy = new WeakSet<EventTarget>();

/** Runs the action of a button or a form. Ignores further clicks until the action has ended. */
function once(element: EventTarget, work: () => unknown): void {
  if (busy.has(element)) return;
  busy.add(element);
  void Promise.resolve(work()).finally(() => busy.delete(element));
}

/** `onClick` may return a promise: the button ignores clicks until it is settled. */
export function button(text: string, onClick: () => unknown, attributes: Attributes = {}): JSX.Element {
  const click = ({ currentTarget }: Event) => once(currentTarget as EventTarget, onClick);
  return h('button', { type: 'button', ...attributes, onClick: click }, text);
}

/** A field with its label above it. */
export function field(label: string, name: string, attributes: Attributes = {}): JSX.Element {
  return h('label', {}, h('span', {}, label), h('input', { name, ...attributes }));
}

export function choice(label: string, name: string, options: readonly string[], chosen: string): JSX.Element {
  const all = options.map((option) => h('option', { value: option, selected: option === chosen }, option || 'any'));
  return h('label', {}, h('span', {}, label), h('select', { name }, all));
}

/** Creates a form. `send` gets its values without empty ones, and may return a promise, as a button's `onClick`. */
export function form(
  attributes: Attributes,
  send: (values: Record<string, string>) => unknown,
  ...children: Child[]
): JSX.Element {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const element = event.currentTarget as HTMLFormElement;
    const held = [...new FormData(element)].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    );
    once(element, () => send(Object.fromEntries(held)));
  };
  return h('form', { ...attributes, onSubmit }, children);
}

interface DialogProps {
  readonly label: string;
  /** What its button says. */
  readonly close?: string;
  onClose(): void;
  readonly children?: Child;
}

/** Lies over the page until it is closed. */
export function Dialog({ label, close = 'Close', onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const head = h('div', { class: 'bar' }, [
    h('b', {}, h('bdi', {}, label)),
    button(close, () => dialog.current?.close()),
  ]);
  return h('dialog', { ref: dialog, 'aria-label': label, onClose }, head, children);
}
