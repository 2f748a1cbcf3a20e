import type { JSX } from 'preact';
import { OPERATOR_COMMANDS } from '#client/operator-shapes.ts';
import type { Role } from '#domain/operate/operator.ts';
import { Field, Form } from '../parts/components.tsx';
import { call, type ViewTools } from './view.tsx';

/** A field in a row of `OPERATOR_COMMANDS`. */
interface Described {
  readonly kind?: string;
  readonly about?: string;
  readonly values?: readonly unknown[];
  readonly isNullable?: boolean;
  readonly isRequired?: boolean;
  readonly fields?: Readonly<Record<string, Described>>;
  readonly input?: Readonly<Record<string, string | number>>;
}

export interface OperationProps {
  readonly operation: keyof typeof OPERATOR_COMMANDS;
  readonly tools: ViewTools;
  readonly params?: Readonly<Record<string, string>>;
  /** The message after success. */
  readonly done: string;
  /** The fields to ask for; all without it. */
  readonly only?: readonly string[];
  /** What a change begins with: all of its fields are sent, and an empty one as null or empty. */
  readonly values?: object;
  /** The hint below each field, by their paths. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Gets the answer. By default, a token in it is shown. */
  onDone?(answer: Record<string, string>): void;
}

/** Returns the fields of an operation by their paths, as in `limits.jobs`. */
function fieldsOf({ operation, only }: OperationProps): [path: string, described: Described][] {
  const { fields }: Pick<Described, 'about' | 'fields'> = OPERATOR_COMMANDS[operation];
  const asked = Object.entries(fields ?? {}).filter(([name]) => only?.includes(name) ?? true);
  return asked.flatMap(([name, one]) =>
    one.fields
      ? Object.entries(one.fields).map(([inner, of]): [string, Described] => [`${name}.${inner}`, of])
      : [[name, one]],
  );
}

const isNumber = (kind: string | undefined) => kind === 'integer' || kind === 'number';

/** Returns inputs for an operation. A field is named by its path, so that a form shows what is wrong at it. */
export function Fields(props: OperationProps): JSX.Element {
  const { operation, values = {}, hints = {} } = props;
  const [, made] = /^(?:create|make) an? (\w+(?: host| key)?)/.exec(OPERATOR_COMMANDS[operation].about) ?? [];
  const inputs = fieldsOf(props).map(([path, { kind, about = '', values: choices, isRequired, input }]) => {
    const [name = '', inner] = path.split('.');
    const present = Object(values)[name];
    const value = inner === undefined ? present : Object(present)[inner];
    // The name of an inner field is for programs. Its description begins with what it counts.
    const words = inner
      ? about.replace(/^Maximum (number of )?|^Number of | \(UTC\)|`|[,.].*$/g, '')
      : name.replaceAll('_', ' ');
    const label =
      made && path === 'name' ? `Name of a new ${made}` : words.replace(/^./, (letter) => letter.toUpperCase());
    return (
      <Field
        key={path}
        {...input}
        label={kind === 'time' ? `${label} (UTC)` : label}
        name={path}
        title={about}
        required={isRequired}
        {...(isNumber(kind) ? { type: 'number', step: 'any' } : {})}
        {...(kind === 'time' && { type: 'datetime-local' })}
        {...(choices && { options: [...(isRequired || input?.value ? [] : ['']), ...choices.map(String)] })}
        {...(present !== undefined && { value: Array.isArray(value) ? value.join(' ') : (value ?? '') })}
        {...(hints[path] && { hint: hints[path] })}
      />
    );
  });
  return <>{inputs}</>;
}

/** Calls an operation with what was typed into its `Fields`. */
export function perform(props: OperationProps, typed: Readonly<Record<string, string>>): Promise<void> {
  const { operation, tools, params, done, values, onDone } = props;
  const body: Record<string, unknown> = {};
  for (const [path, { kind, isNullable }] of fieldsOf(props)) {
    const [name = '', inner] = path.split('.');
    const text = typed[path];
    if (inner !== undefined && (values || text)) body[name] ??= {};
    const into = inner === undefined ? body : Object(body[name]);
    if (text !== undefined) into[inner ?? name] = read(kind, text);
    else if (values && (isNullable || kind === 'array')) into[inner ?? name] = isNullable ? null : [];
  }
  return tools.send(done, async () => {
    const answer = Object(await call(operation as never, { params, body } as never));
    if (onDone) onDone(answer);
    else if (answer.token) tools.showSecret(`The token of ${typed.name}`, answer.token);
  });
}

function read(kind: string | undefined, text: string): unknown {
  if (kind === 'array') return text.split(/\s+/);
  if (kind === 'time') return `${text}:00Z`;
  return isNumber(kind) ? Number(text) : text;
}

interface OperationFormProps extends OperationProps {
  readonly label: string;
  readonly submit: string;
  readonly role?: Role;
}

/** Returns the form of an operation for operators of a role. */
export const OperationForm = ({ label, submit, role = 'admin', ...props }: OperationFormProps): JSX.Element | false =>
  props.tools.can(role) && (
    <Form label={label} submit={submit} isReset onSend={(typed) => perform(props, typed)}>
      <Fields {...props} />
    </Form>
  );
