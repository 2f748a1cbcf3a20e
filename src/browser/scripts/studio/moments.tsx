import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { DemoMatch, Tickreel } from '#client/index.ts';
import { newKey } from '#client/new-key.ts';
import { messageOf } from '../errors.ts';
import { type ClipOptions, DEFAULT_OPTIONS, OptionsForm, withOptions } from './options-form.tsx';
import type { RunningJob } from './renders.tsx';
import { RoundTable } from './round-table.tsx';
import { type ClipChoice, highlightId } from './shapes.ts';
import { Timeline } from './timeline.tsx';

interface Props {
  readonly client: Tickreel;
  /** Aborts when the user forgets the key. */
  readonly signal: AbortSignal;
  readonly demoUrl: string;
  readonly match: DemoMatch;
  onSubmitted(jobs: readonly RunningJob[]): void;
}

/** Shows the rounds, highlights and kills of a match, and submits the ticked moments. */
export function Moments({ client, signal, demoUrl, match, onSubmitted }: Props): JSX.Element {
  const [chosen, setChosen] = useState<ReadonlyMap<string, ClipChoice>>(new Map());
  const [options, setOptions] = useState<ClipOptions>(DEFAULT_OPTIONS);
  const [trouble, setTrouble] = useState('');
  const [isBusy, setBusy] = useState(false);
  const highlights = useMemo(() => match.highlights.map((_, index) => momentOf(match, index)), [match]);

  const ticked = useRef(chosen);
  ticked.current = chosen;
  /** Idempotency keys by moment, until its job is known. If an answer is lost, the retry finds the same job. */
  const keys = useRef(new Map<string, string>());

  function toggle(moment: ClipChoice): void {
    setChosen((before) => {
      const next = new Map(before);
      if (!next.delete(moment.id)) next.set(moment.id, moment);
      return next;
    });
  }

  async function submit(): Promise<void> {
    setBusy(true);
    setTrouble('');
    try {
      for (const [id, { label, request }] of chosen) {
        if (!ticked.current.has(id)) continue;
        const idempotency_key = keys.current.get(id) ?? newKey();
        keys.current.set(id, idempotency_key);
        const order = { ...withOptions(request, options), idempotency_key };
        const { job_id: jobId, body_differs } = await client.clips.submit(order, { signal });
        keys.current.delete(id);
        onSubmitted([{ jobId, label: body_differs ? `${label}, as asked for first` : label }]);
        setChosen((before) => new Map([...before].filter(([other]) => other !== id)));
      }
    } catch (error) {
      setTrouble(messageOf(error));
    }
    setBusy(false);
  }

  const seconds = (match.last_tick - match.first_tick) / match.tick_rate;
  const score = match.rounds.findLast((round) => round.score !== null)?.score;
  return (
    <section class="card" aria-labelledby="match">
      <h2 id="match">
        {match.map}{' '}
        <small>
          {[
            score && `${score.T} : ${score.CT}`,
            seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </small>
      </h2>
      {!match.is_complete && <p class="hint">The recording was cut off. What it has can be shown.</p>}
      <Timeline match={match} chosen={chosen} onToggle={(index) => highlights[index] && toggle(highlights[index])} />
      <div class="sides">
        <fieldset class="highlights">
          <legend>Best moments</legend>
          {highlights.length === 0 && <p class="hint">Nothing stands out. The table has every kill.</p>}
          {match.highlights.map((highlight, index) => {
            const moment = highlights[index];
            return (
              moment && (
                <label key={moment.id}>
                  <input type="checkbox" checked={chosen.has(moment.id)} onChange={() => toggle(moment)} />
                  <b>{kindText(highlight.kind)}</b>
                  <bdi>{match.players[highlight.player]?.name}</bdi>
                  <span>
                    round {highlight.round} · {lengthOf(match, highlight)} s
                  </span>
                </label>
              )
            );
          })}
        </fieldset>
        <RoundTable demoUrl={demoUrl} match={match} chosen={chosen} onToggle={toggle} />
      </div>
      <OptionsForm options={options} onChange={setOptions} />
      <div class="go">
        <button class="main" type="button" disabled={chosen.size === 0 || isBusy} onClick={() => void submit()}>
          {chosen.size === 0 ? 'Tick what to clip' : `Make ${chosen.size} ${chosen.size === 1 ? 'clip' : 'clips'}`}
        </button>
        {chosen.size > 0 && (
          <button type="button" onClick={() => setChosen(new Map())}>
            Clear
          </button>
        )}
      </div>
      <p role="alert" class="trouble">
        {trouble}
      </p>
    </section>
  );
}

function momentOf(match: DemoMatch, index: number): ClipChoice | undefined {
  const highlight = match.highlights[index];
  if (!highlight) return undefined;
  const { kind, player, round, request } = highlight;
  const label = `${kindText(kind)} by ${match.players[player]?.name ?? 'somebody'}, round ${round}`;
  return { id: highlightId(index), label, request };
}

/** Formats a kind: `clutch_1v3` is `clutch 1v3`. */
const kindText = (kind: string): string => kind.replaceAll('_', ' ');

function lengthOf({ tick_rate }: DemoMatch, { start_tick, end_tick }: DemoMatch['highlights'][number]): number {
  return Math.max(1, Math.round((end_tick - start_tick) / tick_rate));
}
