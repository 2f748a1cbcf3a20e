export type Child = Node | string | number | null | undefined | readonly Child[];
type Value = string | number | boolean | null | undefined | ((event: Event) => void);

/** An element of the page. A function is a listener of the event in its name, `onclick`; true is an empty attribute. */
export function h(tag: string, attributes: Readonly<Record<string, Value>> = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(tag);
  setAll(element, attributes);
  add(element, children);
  return element;
}

/** The same of a drawing. */
export function svg(tag: string, attributes: Readonly<Record<string, Value>>, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAll(element, attributes);
  add(element, children);
  return element;
}

function setAll(element: Element, attributes: Readonly<Record<string, Value>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
  }
}

function add(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined) continue;
    if (Array.isArray(child)) add(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => Child;
}

/** A table that a narrow window shows as a card for each row. */
export function table<Row>(label: string, rows: readonly Row[], columns: readonly Column<Row>[]): HTMLElement {
  if (rows.length === 0) return h('p', { class: 'none' }, `No ${label}.`);
  return h(
    'table',
    { 'aria-label': label },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        columns.map(({ name }) => h('th', { scope: 'col' }, name)),
      ),
    ),
    h(
      'tbody',
      {},
      rows.map((row) =>
        h(
          'tr',
          {},
          columns.map(({ name, cell }) => h('td', { 'data-label': name }, cell(row))),
        ),
      ),
    ),
  );
}

export function button(text: string, act: () => void, attributes: Readonly<Record<string, Value>> = {}): HTMLElement {
  return h('button', { type: 'button', ...attributes, onclick: act }, text);
}

/** A field with its label above it. */
export function field(label: string, name: string, attributes: Readonly<Record<string, Value>> = {}): HTMLElement {
  return h('label', {}, h('span', {}, label), h('input', { name, ...attributes }));
}

export function choice(label: string, name: string, options: readonly string[], chosen: string): HTMLElement {
  const all = options.map((option) => h('option', { value: option, selected: option === chosen }, option || 'any'));
  return h('label', {}, h('span', {}, label), h('select', { name }, all));
}

/** What a form holds, without what is empty. */
function valuesOf(form: HTMLFormElement): Record<string, string> {
  const entries = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries.map(([name, value]) => [name, value.trim()]).filter(([, value]) => value !== ''));
}

/** A form that gives what it holds. */
export function form(
  attributes: Readonly<Record<string, Value>>,
  send: (values: Record<string, string>) => void,
  ...children: Child[]
): HTMLElement {
  const onsubmit = (event: Event) => {
    event.preventDefault();
    send(valuesOf(event.target as HTMLFormElement));
  };
  return h('form', { ...attributes, onsubmit }, ...children);
}
