import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Button, type ButtonProps, Dialog, Field, Form, Progress } from './components.tsx';
import { amount, messageOf, WrongValue } from './format.ts';

export interface RunningAct {
  /** Aborted by the button that stops the act, and when the dialog is closed. */
  readonly signal: AbortSignal;
  /** Shows how much is done. `total`: null if that is unknown. */
  report(done: number, total: number | null): void;
}

interface AskProps extends Omit<ButtonProps, 'onClick'> {
  /** The title of the dialog; by default the label or the text of the button, as a question. */
  readonly title?: string;
  /** What the act does. */
  readonly what: ComponentChildren;
  /** The text of the button that acts; by default that of the button that opens the dialog. */
  readonly submit?: string;
  /** What has to be typed first: the name of something that the act destroys. */
  readonly name?: string;
  /** Further fields, such as a reason. */
  readonly children?: ComponentChildren;
  /** If it rejects, the dialog shows why, at the field if it is one. If it resolves to a text, it shows the text. */
  onAct(values: Record<string, string>, running: RunningAct): Promise<unknown>;
}

/** Returns a button that opens a dialog, which says what will happen, asks for what is needed, and acts. */
export function AskButton({ title, what, submit, name, children, onAct, ...button }: AskProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [progress, setProgress] = useState<{ done: number; total: number | null } | null>(null);
  const [result, setResult] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  const open = () => {
    stop.current = new AbortController();
    setProgress(null);
    setResult(null);
    setOpen(true);
  };
  const close = () => {
    stop.current.abort();
    setOpen(false);
  };
  const act = async ({ typed, ...values }: Record<string, string>) => {
    if (name !== undefined && typed !== name) throw new WrongValue('typed', `must be ${name}`);
    let isBegun = false;
    const report = (done: number, total: number | null) => {
      isBegun = true;
      setProgress({ done, total });
    };
    try {
      const text = await onAct(values, { signal: stop.current.signal, report });
      if (typeof text === 'string') setResult(text);
      else close();
    } catch (error) {
      // The form is hidden then.
      if (!isBegun) throw error;
      setResult(messageOf(error));
    }
  };
  return (
    <>
      <Button {...button} onClick={open} />
      {isOpen && (
        <Dialog
          label={title ?? `${button.label ?? button.text}?`}
          close={result === null ? 'Cancel' : 'Close'}
          onClose={close}
        >
          {result === null && <div class="what">{what}</div>}
          {progress && <Done {...progress} />}
          <p role="status">{result}</p>
          {result === null && progress && <Button text="Stop" onClick={() => stop.current.abort()} />}
          <div hidden={result !== null || progress !== null}>
            <Form submit={submit ?? button.text} isMain={!button.isDanger} isDanger={!!button.isDanger} onSend={act}>
              {children}
              {name !== undefined && <Field label={`Type “${name}”`} name="typed" autocomplete="off" required />}
            </Form>
          </div>
        </Dialog>
      )}
    </>
  );
}

function Done({ done, total }: { readonly done: number; readonly total: number | null }) {
  // More may have come since they were counted.
  const all = total && Math.max(total, done);
  return (
    <div class="progress">
      <span id="act-progress">{all === null ? `${amount(done)} done` : `${amount(done)} of ${amount(all)} done`}</span>
      <Progress label="act-progress" value={all && done / all} />
    </div>
  );
}

/** What one call of an act in batches did. */
interface Batch {
  readonly done: number;
  readonly refused: readonly { readonly reason: string }[];
  /** Null after the last batch. */
  readonly next_cursor: string | null;
}

/**
 * Repeats a call until it answers without a cursor, fails, or the act is stopped. Returns what was done, and why it
 * ended, in sentences.
 */
export async function inBatches(
  { signal, report }: RunningAct,
  total: number | null,
  next: (cursor: string | undefined) => Promise<Batch>,
): Promise<string> {
  const refused: string[] = [];
  let [done, cursor]: [number, string | null | undefined] = [0, undefined];
  let end = 'Stopped. ';
  report(0, total);
  try {
    do {
      const batch = await next(cursor);
      done += batch.done;
      refused.push(...batch.refused.map(({ reason }) => reason));
      cursor = batch.next_cursor;
      report(done, total);
    } while (cursor !== null && !signal.aborted);
    if (cursor === null) end = '';
  } catch (error) {
    end = `${messageOf(error)} `;
  }
  const reasons = [...new Set(refused)].join(', ');
  const rest = refused.length === 0 ? '' : ` ${amount(refused.length)} refused: ${reasons}.`;
  return `${end}${amount(done)} done.${rest}`;
}
