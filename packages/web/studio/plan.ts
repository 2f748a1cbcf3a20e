import { useEffect, useState } from 'preact/hooks';
import { cutListOf } from '#client/demos.ts';
import { TickreelError } from '#client/errors.ts';
import type { DemoMatch, Plan, SubmitRequest, Tickreel } from '#client/index.ts';
import { clockOf } from './clip-choice.ts';

/** Returns the plans of some clips. A text: why one is impossible, or nothing until all are known. */
export function usePlan({ clips }: Tickreel, requests: readonly SubmitRequest[]): readonly Plan[] | string {
  const [plans, setPlans] = useState<ReadonlyMap<string, Plan | string>>(new Map());
  const bodies = requests.map((request) => JSON.stringify(request));
  useEffect(() => {
    const gone = new AbortController();
    for (const body of bodies.filter((one) => !plans.has(one))) {
      const note = (plan: Plan | string) => setPlans((before) => new Map(before).set(body, plan));
      clips.plan(JSON.parse(body), { signal: gone.signal, maxRetries: Infinity }).then(note, (error: unknown) => {
        if (error instanceof TickreelError && [400, 409, 422].includes(error.status ?? 0)) note(error.message);
      });
    }
    return () => gone.abort();
  }, [clips, bodies.join()]);
  const known = bodies.flatMap((body) => plans.get(body) ?? []);
  const refusal = known.find((plan) => typeof plan === 'string');
  if (refusal !== undefined) return refusal;
  const possible = known.filter((plan) => typeof plan !== 'string');
  return possible.length < bodies.length || possible.length === 0 ? '' : possible;
}

/** Returns the shots, the length, the price and the renderer of some clips, as text. */
export function planText(plans: readonly Plan[]): string {
  const sum = (of: (plan: Plan) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const shots = sum((plan) => plan.shots.length);
  const currency = plans[0]?.price?.currency;
  const money = currency && new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 });
  const drawn = plans.filter(({ renderer }) => renderer === 'radar').length;
  const about = plans.some((plan) => plan.is_estimate) ? 'about ' : '';
  return [
    `${shots} ${shots === 1 ? 'shot' : 'shots'}`,
    `${about}${Math.round(sum(({ seconds }) => seconds))} s`,
    ...(money ? [money.format(sum(({ price }) => price?.amount ?? 0))] : []),
    drawn === 0 ? 'recorded in the game' : drawn === plans.length ? 'drawn from above' : `${drawn} drawn from above`,
    ...(plans.some(({ host_online }) => host_online === false) ? ['no host for it is online: it will wait'] : []),
  ].join(' · ');
}

/** Returns a line for each card and shot of a clip. */
export function planLines(plan: Plan, match: DemoMatch): readonly string[] {
  const nameOf = (id: string) => match.players.find(({ steam64_id }) => steam64_id === id)?.name ?? id;
  return cutListOf(plan).map((part) => {
    const length = `${part.seconds.toFixed(1)} s`;
    if ('kind' in part) return `${CARDS[part.kind]} · ${length}`;
    const { steam64_id, subject_steam64_id: killer, start_tick, kill_ticks, speed } = part;
    const kills = `${kill_ticks.length} ${kill_ticks.length === 1 ? 'kill' : 'kills'}`;
    const seen = killer === undefined ? kills : `killed by ${nameOf(killer)}`;
    const slowest = speed === undefined ? [] : [speed < 1 ? `slowed to ${speed}×` : `${speed}×`];
    return [clockOf(match, start_tick), nameOf(steam64_id), seen, ...slowest, length].join(' · ');
  });
}

const CARDS = { intro: 'Intro', title: 'Title', outro: 'Outro' };
