import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DemoMatch } from '#client/index.ts';
import { Button } from '../parts/components.tsx';
import { clockOf, killText, rangeId } from './clip-choice.ts';
import { Select } from './select.tsx';

/** A player in a frame of this page, which is controlled by the player.js protocol. */
export interface FramePlayer {
  call(method: string, value?: unknown): void;
  close(): void;
}

/** Controls the player of a frame. Keeps calls until it is ready. */
function createFramePlayer(frame: HTMLIFrameElement): FramePlayer {
  const closed = new AbortController();
  let early: string[] | null = [];
  const send = (message: string) => frame.contentWindow?.postMessage(message, location.origin);
  addEventListener(
    'message',
    ({ source, data }) => {
      if (source !== frame.contentWindow || JSON.parse(String(data)).event !== 'ready') return;
      for (const message of early ?? []) send(message);
      early = null;
    },
    { signal: closed.signal },
  );
  return {
    call(method, value) {
      const message = JSON.stringify({ context: 'player.js', method, value });
      if (early) early.push(message);
      else send(message);
    },
    close: () => closed.abort(),
  };
}

interface Props {
  readonly match: DemoMatch;
  readonly replayUrl: string;
  /** Gets the id of a range when the user adds it. */
  onAdd(id: string): void;
}

/** A range of ticks, seen by a player. */
interface Range {
  readonly player: number;
  readonly from: number;
  readonly to: number;
}

/** Seconds around a kill that its mark chooses: the default padding of a clip. */
const AROUND_KILL = { before: 3, after: 2 };
/** Seconds of the range in a round without a kill. */
const USUAL_SECONDS = 10;
/** The shortest segment of a timeline, in ticks. */
const FEWEST_TICKS = 64;

/** Shows the replay of a match and the kills of a round on its timeline, from which users cut a range. */
export function ReplayRange({ match, replayUrl, onAdd }: Props): JSX.Element {
  const { players, rounds, kills, tick_rate: rate } = match;
  const [round, setRound] = useState(0);
  const startOf = (index: number) => rounds[index]?.start_tick ?? (index === 0 ? match.first_tick : match.last_tick);
  const killsOf = (index: number) => kills.filter(({ tick }) => tick >= startOf(index) && tick < startOf(index + 1));
  const within = (index: number, player: number, tick: number, { before, after }: typeof AROUND_KILL): Range => ({
    player,
    from: Math.max(startOf(index), Math.round(tick - before * rate)),
    to: Math.min(startOf(index + 1), Math.round(tick + after * rate)),
  });
  const firstOf = (index: number, player: number): Range => {
    const [kill] = killsOf(index);
    if (kill) return within(index, kill.attacker, kill.tick, AROUND_KILL);
    return within(index, player, startOf(index), { before: 0, after: USUAL_SECONDS });
  };
  const [range, setRange] = useState(() => firstOf(0, 0));
  const frame = useRef<HTMLIFrameElement>(null);
  const player = useRef<FramePlayer | null>(null);
  useEffect(() => {
    if (!frame.current) return;
    player.current = createFramePlayer(frame.current);
    player.current.call('setMoment', range);
    return () => player.current?.close();
  }, []);

  /** Chooses a range, and shows one of its ticks. */
  function choose(next: Range, tick = next.from): void {
    setRange(next);
    player.current?.call('pause');
    player.current?.call('setMoment', next);
    player.current?.call('setCurrentTime', (tick - next.from) / rate);
  }
  function play(): void {
    player.current?.call('setCurrentTime', 0);
    player.current?.call('play');
  }

  const [start, end] = [startOf(round), startOf(round + 1)];
  const percent = (tick: number) => `${((tick - start) / Math.max(1, end - start)) * 100}%`;
  const { from, to } = range;
  const edge = (label: string, name: 'from' | 'to') => (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={clockOf(match, range[name])}
      min={start}
      max={end}
      step={rate / 4}
      value={range[name]}
      onInput={({ currentTarget }) => {
        const tick = currentTarget.valueAsNumber;
        const next = name === 'from' ? Math.min(tick, to - FEWEST_TICKS) : Math.max(tick, from + FEWEST_TICKS);
        // The browser may have moved it beyond the other edge.
        currentTarget.valueAsNumber = next;
        choose({ ...range, [name]: next }, next);
      }}
    />
  );
  return (
    <fieldset class="replay">
      <legend>Replay</legend>
      <iframe ref={frame} src={`${replayUrl}/embed`} title="Replay of the match" allow="fullscreen" />
      <div class="row wide">
        <Select
          label="Round"
          value={round}
          texts={Object.fromEntries(rounds.map(({ round: number }, index) => [index, `Round ${number}`]))}
          onChoose={(value) => {
            setRound(Number(value));
            choose(firstOf(Number(value), range.player));
          }}
        />
        <Select
          label="Seen by"
          value={range.player}
          texts={Object.fromEntries(players.map(({ name }, index) => [index, name]))}
          onChoose={(value) => choose({ ...range, player: Number(value) })}
        />
      </div>
      <div class="track">
        <div class="part" style={{ left: percent(from), right: `calc(100% - ${percent(to)})` }} />
        {edge('Start', 'from')}
        {edge('End', 'to')}
        {killsOf(round).map((kill) => (
          <button
            key={kill.tick}
            type="button"
            style={{ left: percent(kill.tick) }}
            title={killText(match, kill)}
            aria-label={`${players[kill.attacker]?.name ?? 'a player'}, ${killText(match, kill)}`}
            onClick={() => choose(within(round, kill.attacker, kill.tick, AROUND_KILL))}
          />
        ))}
      </div>
      <div class="row">
        <Button text="Look" onClick={play} />
        <Button text="Add this moment" onClick={() => onAdd(rangeId(range))} />
        <span role="status">
          {clockOf(match, from)} to {clockOf(match, to)} · {((to - from) / rate).toFixed(1)} s
        </span>
      </div>
    </fieldset>
  );
}
