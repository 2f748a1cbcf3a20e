import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Choice, choicesOf } from '#client/demos.ts';
import { type Demo, type Tickreel, TickreelError, type UploadSummary } from '#client/index.ts';
import { Button, Field, Form, Progress } from '../parts/components.tsx';
import { Arrived } from './arrived.tsx';
import { type OnStep, openPlace, readPlace, uploadDemo } from './connect.ts';
import { Trouble, unfitDemo } from './sign-in.tsx';

interface Props {
  readonly client: Tickreel;
  /** Aborts when the user signs out. */
  readonly signal: AbortSignal;
  readonly isOpen: boolean;
  /** The newest first. */
  readonly uploads: readonly UploadSummary[];
  onDemo(demo: Demo | null): void;
  onEnd(): void;
}

/**
 * Takes a demo as a file, as a URL, from the list, or from the address of the page, and shows the progress until it is
 * inspected.
 */
export function PickDemo({ client, signal, isOpen, uploads, onDemo, onEnd }: Props): JSX.Element {
  const [step, setStep] = useState<{ text: string; fraction: number | null } | null>(null);
  const [trouble, setTrouble] = useState<unknown>(null);
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [isOver, setOver] = useState(false);
  const unfinished = uploads.find(({ state, source }) => state === 'open' && source === 'upload')?.name;

  const onStep: OnStep = (text, fraction) => setStep({ text, fraction });

  async function open(find: () => Promise<Demo>): Promise<void> {
    if (step !== null) return;
    setTrouble(null);
    setChoices([]);
    try {
      onStep('Opening the demo', null);
      const demo = await find();
      setChoices(choicesOf(demo));
      const { error_code, summary } = demo.diagnosis ?? {};
      if (!demo.match) throw unfitDemo(error_code ?? 'error', summary ?? 'The demo cannot be read.');
      onDemo(demo);
    } catch (error) {
      setTrouble(error);
    }
    setStep(null);
  }

  async function follow(find: Tickreel['demos']['wait'], demo: string): Promise<Demo> {
    const onProgress = ({ id }: Demo) => {
      openPlace(id);
      onStep('Inspecting the demo', null);
    };
    const options = { onProgress, signal, maxRetries: Infinity };
    const found = await find(demo, { ...options, replay: true }).catch((error) => {
      // Only keys that may manage publish a replay.
      if (!(error instanceof TickreelError) || error.status !== 403) throw error;
      return find(demo, options);
    });
    openPlace(found.id);
    return found;
  }

  const take = (given: File | string) =>
    open(async () => {
      const url = typeof given === 'string' ? given : await uploadDemo(client, given, onStep, signal);
      onDemo(null);
      return follow(client.demos.inspect, url).finally(onEnd);
    });

  useEffect(() => {
    const { demoId } = readPlace();
    if (demoId !== null) void open(() => follow(client.demos.wait, demoId));
  }, []);

  function drop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) void take(file);
  }

  return (
    <section class="card" aria-labelledby="pick">
      <details open={!isOpen}>
        <summary>
          <h2 id="pick">{isOpen ? 'Open another demo' : 'Open a demo'}</h2>
        </summary>
        <fieldset class="pick" disabled={step !== null}>
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
              accept=".dem,.gz,.bz2,.zst,.zip,.rar,.7z"
              onChange={({ currentTarget }) => {
                const [file] = currentTarget.files ?? [];
                currentTarget.value = '';
                if (file) void take(file);
              }}
            />
            <b>Drop a demo here</b>
            <span>or choose a file: .dem, plain or as .gz, .bz2, .zst, .zip, .rar</span>
          </label>
          <Form submit="Inspect" onSend={({ url = '' }) => take(url)}>
            <Field label="or paste its URL" name="url" required placeholder="https://…/match.dem.gz" />
          </Form>
          <Arrived uploads={uploads} onOpen={take} />
        </fieldset>
      </details>
      {unfinished !== undefined && step === null && (
        <p class="hint">
          The upload of <bdi>{unfinished}</bdi> has not finished. Choose the file again to resume it.
        </p>
      )}
      <div class="step">
        {step && (
          <>
            <span id="step">
              <span role="status">{step.text}</span>
              {step.fraction !== null && ` ${Math.floor(step.fraction * 100)} %`}
            </span>
            <Progress label="step" value={step.fraction} />
          </>
        )}
      </div>
      <Trouble error={trouble} />
      {choices.length > 0 && (
        <fieldset class="row wide">
          <legend>Demos of the archive</legend>
          {choices.map(({ name, demo_url }) => (
            <Button text={name} label={`Open ${name}`} onClick={() => take(demo_url)} />
          ))}
        </fieldset>
      )}
    </section>
  );
}
