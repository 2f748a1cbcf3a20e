import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Demo, DemoMatch, SubmitRequest, Tickreel } from '#client/index.ts';
import { newKey } from '#client/transport.ts';
import { mapName } from '#domain/clip/names.ts';
import { Button } from '../parts/components.tsx';
import { type ClipChoice, choiceOfRange, clockOf, curlOf, fileOf, killText, UPLOAD_ID } from './clip-choice.ts';
import { readPlace, writePlace } from './connect.ts';
import { type ClipOptions, DEFAULT_OPTIONS, OptionsForm, withOptions } from './options-form.tsx';
import { planLines, planText, usePlan } from './plan.ts';
import type { RunningJob } from './renders.tsx';
import { ReplayRange } from './replay-range.tsx';
import { Trouble } from './sign-in.tsx';
import { Timeline } from './timeline.tsx';

/** The name of the options in `sessionStorage`. */
const STORED_OPTIONS = 'studio-options';

interface Props {
  readonly client: Tickreel;
  /** Aborts when the user signs out. */
  readonly signal: AbortSignal;
  readonly demo: Demo;
  readonly match: DemoMatch;
  readonly moments: ReadonlyMap<string, ClipChoice>;
  onSubmitted(job: RunningJob): void;
}

/** Shows the rounds, highlights and kills of a match, and submits the ticked moments. */
export function Moments({ client, signal, demo, match, moments, onSubmitted }: Props): JSX.Element {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(readPlace().ticks));
  const [options, setOptions] = useState<ClipOptions>(() => ({
    ...DEFAULT_OPTIONS,
    ...JSON.parse(sessionStorage.getItem(STORED_OPTIONS) ?? '{}'),
  }));
  const [trouble, setTrouble] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  const [name, setName] = useState(fileOf(demo.demo_url));
  useEffect(() => {
    const uploadId = UPLOAD_ID.exec(demo.demo_url)?.[1];
    const note = async (id: string) => setName((await client.uploads.get(id, { signal })).name);
    if (uploadId) note(uploadId).catch(() => {});
  }, []);

  const ticked = useRef(chosen);
  ticked.current = chosen;
  /** Idempotency keys by moment, until its job is known. If an answer is lost, the retry finds the same job. */
  const keys = useRef(new Map<string, string>());
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  // Not after the next frame: a reload may come before it.
  useLayoutEffect(() => sessionStorage.setItem(STORED_OPTIONS, JSON.stringify(options)), [options]);
  useLayoutEffect(() => writePlace({ demoId: demo.id, ticks: [...chosen] }), [chosen]);

  const clipChoices = (ids: ReadonlySet<string>) =>
    [...ids].flatMap((id) => moments.get(id) ?? choiceOfRange(demo, id) ?? []);
  // What was ticked in the timeline stays in the list when it is cleared.
  const seen = useRef(new Set<string>());
  for (const id of chosen) seen.current.add(id);
  const listed = [
    ...clipChoices(seen.current).filter(({ kind }) => kind === null),
    ...[...moments.values()].filter(({ kind }) => kind !== null),
  ];
  const basket = clipChoices(chosen);
  const orderOf = ({ request }: ClipChoice): SubmitRequest => withOptions(request, options);
  const plans = usePlan(client, basket.map(orderOf));

  function toggle(id: string): void {
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }

  async function submit(): Promise<void> {
    setBusy(true);
    setTrouble(null);
    try {
      for (const moment of basket) {
        const { id, label } = moment;
        if (!ticked.current.has(id)) continue;
        const idempotency_key = keys.current.get(id) ?? newKey();
        keys.current.set(id, idempotency_key);
        const order = { ...orderOf(moment), idempotency_key };
        const { job_id, body_differs } = await client.clips.submit(order, { signal });
        keys.current.delete(id);
        onSubmitted({
          id: job_id,
          status: 'pending',
          error_code: null,
          created_at: new Date().toISOString(),
          label: body_differs ? `${label}, with the first options` : label,
        });
        setChosen((before) => new Set([...before].filter((other) => other !== id)));
      }
    } catch (error) {
      setTrouble(error);
    }
    setBusy(false);
  }

  const score = match.rounds.findLast((round) => round.score !== null)?.score;
  return (
    <section class="card" aria-labelledby="match">
      <h2 id="match" ref={heading} tabIndex={-1}>
        <bdi>{name}</bdi>{' '}
        <small>
          {[mapName(match.map), score && `${score.T} : ${score.CT}`, clockOf(match, match.last_tick)]
            .filter(Boolean)
            .join(' · ')}
        </small>
      </h2>
      {!match.is_complete && (
        <p class="hint">
          The recording {match.damage ? 'is damaged' : 'was cut off'}. You can make clips of what it has.
        </p>
      )}
      <Timeline match={match} moments={moments} chosen={chosen} onToggle={toggle} />
      {demo.replay_url && (
        <ReplayRange {...{ match, replayUrl: demo.replay_url }} onAdd={(id) => !chosen.has(id) && toggle(id)} />
      )}
      <fieldset>
        <legend>Highlights and selected moments</legend>
        {listed.length === 0 && <p class="hint">There are no highlights. The timeline has every kill.</p>}
        <div class="moments">
          {listed.map(({ id, kind, label, kills }) => (
            <label key={id}>
              <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
              {kind && !label.startsWith(kind) && <b>{kind}</b>} <bdi>{label}</bdi>
              {kills.map((kill) => (
                <small key={kill.tick}>{killText(match, kill)}</small>
              ))}
            </label>
          ))}
        </div>
      </fieldset>
      <OptionsForm
        {...{ client, options, hasRange: basket.some(({ request }) => request.timeline) }}
        onChange={setOptions}
      />
      {/* It stays open while other plans are loaded. */}
      <details hidden={basket.length === 0}>
        <summary>Shots</summary>
        {typeof plans !== 'string' &&
          plans.map((plan, at) => (
            <div key={basket[at]?.id}>
              <bdi>{basket[at]?.label}</bdi>
              <ol>
                {planLines(plan, match).map((line) => (
                  <li>{line}</li>
                ))}
              </ol>
            </div>
          ))}
      </details>
      <details class="requests" hidden={basket.length === 0}>
        <summary>Requests</summary>
        {basket.map((moment) => (
          <div key={moment.id}>
            <bdi>{moment.label}</bdi>
            <pre>{JSON.stringify(orderOf(moment), null, 2)}</pre>
            <pre>{curlOf(orderOf(moment))}</pre>
          </div>
        ))}
      </details>
      <div class="go">
        <button class="main" type="button" disabled={basket.length === 0 || isBusy} onClick={() => void submit()}>
          {basket.length === 0
            ? 'Select moments to render'
            : `Render ${basket.length} ${basket.length === 1 ? 'clip' : 'clips'}`}
        </button>
        {basket.length > 0 && <Button text="Clear" onClick={() => setChosen(new Set())} />}
        <span role="status">{typeof plans === 'string' ? plans : planText(plans)}</span>
      </div>
      <Trouble error={trouble} />
    </section>
  );
}
