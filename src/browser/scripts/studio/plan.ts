import { useEffect, useState } from 'preact/hooks';
import { TickreelError } from '#client/errors.ts';
import type { Plan, SubmitRequest, Tickreel } from '#client/index.ts';

/** Returns the length and the price of some clips, or why one is impossible, as text; empty until all are known. */
export function usePlan({ clips }: Tickreel, requests: readonly SubmitRequest[]): string {
  const [plans, setPlans] = useState<ReadonlyMap<string, Plan | string>>(new Map());
  const bodies = requests.map((request) => JSON.stringify(request));
  useEffect(() => {
    const gone = new AbortController();
    for (const body of bodies.filter((one) => !plans.has(one))) {
      const note = (plan: Plan | string) => setPlans((before) => new Map(before).set(body, plan));
      clips.plan(JSON.parse(body), { signal: gone.signal, maxRetries: Infinity }).then(note, (error: unknown) => {
        if (error instanceof TickreelError && (error.status === 409 || error.status === 422)) note(error.message);
      });
    }
    return () => gone.abort();
  }, [clips, bodies.join()]);
  const known = bodies.flatMap((body) => plans.get(body) ?? []);
  const refusal = known.find((plan) => typeof plan === 'string');
  if (refusal !== undefined) return refusal;
  const possible = known.filter((plan) => typeof plan !== 'string');
  return possible.length < bodies.length || possible.length === 0 ? '' : planText(possible);
}

/** Returns the shots, the length and the price of some clips, as text. */
export function planText(plans: readonly Plan[]): string {
  const sum = (of: (plan: Plan) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const shots = sum((plan) => plan.shots.length);
  const currency = plans[0]?.price?.currency;
  const money = currency && new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 });
  const about = plans.some((plan) => plan.is_estimate) ? 'about ' : '';
  return [
    `${shots} ${shots === 1 ? 'shot' : 'shots'}`,
    `${about}${Math.round(sum(({ seconds }) => seconds))} s`,
    ...(money ? [money.format(sum(({ price }) => price?.amount ?? 0))] : []),
  ].join(' · ');
}
