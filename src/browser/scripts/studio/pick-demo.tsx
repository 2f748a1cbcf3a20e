import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Demo, Tickreel } from '#client/index.ts';
import { messageOf } from '../errors.ts';
import { type OnStep, readDemo, uploadDemo } from './send-demo.ts';

interface Props {
  readonly client: Tickreel;
  /** Aborts when the user forgets the key. */
  readonly signal: AbortSignal;
  onDemo(demo: Demo | null): void;
}

/** Takes a demo as a file or as a URL, and shows the progress until it is inspected. */
export function PickDemo({ client, signal, onDemo }: Props): JSX.Element {
  const [step, setStep] = useState<{ text: string; fraction: number | null } | null>(null);
  const [trouble, setTrouble] = useState('');
  const [isOver, setOver] = useState(false);

  async function take(given: File | string): Promise<void> {
    if (step !== null) return;
    setTrouble('');
    onDemo(null);
    const onStep: OnStep = (text, fraction) => setStep({ text, fraction });
    try {
      onStep('Beginning', null);
      const url = typeof given === 'string' ? given : await uploadDemo(client, given, onStep, signal);
      onDemo(await readDemo(client, url, onStep, signal));
    } catch (error) {
      setTrouble(messageOf(error));
    }
    setStep(null);
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) void take(file);
  }

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const url = new FormData(event.currentTarget as HTMLFormElement).get('url');
    void take(String(url ?? '').trim());
  }

  return (
    <section class="card" aria-labelledby="pick">
      <h2 id="pick">A match</h2>
      <div class="pick">
        <label
          class={isOver ? 'drop over' : 'drop'}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <input
            type="file"
            accept=".dem,.gz,.bz2,.zst,.zip"
            disabled={step !== null}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              currentTarget.value = '';
              if (file) void take(file);
            }}
          />
          <b>Drop a demo here</b>
          <span>or choose a file: .dem, plain or as .gz, .bz2, .zst, .zip</span>
        </label>
        <form onSubmit={submit}>
          <label for="url">or give its address</label>
          <div class="row">
            <input id="url" name="url" type="url" required placeholder="https://…/match.dem.gz" />
            <button type="submit" disabled={step !== null}>
              Look into it
            </button>
          </div>
        </form>
      </div>
      <div role="status" class="step">
        {step && (
          <>
            <span id="step">{step.text}</span>
            {step.fraction === null ? (
              <progress aria-labelledby="step" />
            ) : (
              <progress aria-labelledby="step" max={1} value={step.fraction} />
            )}
          </>
        )}
      </div>
      <p role="alert" class="trouble">
        {trouble}
      </p>
    </section>
  );
}
