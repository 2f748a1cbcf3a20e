import { useEffect, useState } from 'preact/hooks';
import { errorOf } from '#client/errors.ts';
import type { SubmitRequest } from '#client/index.ts';

/** What `POST /api/plan` answers; the fields that are shown. */
interface ClipPlan {
  readonly seconds: number;
  readonly shots: readonly object[];
  readonly price?: { readonly amount: number; readonly currency: string } | undefined;
}

/** Plans the clip of a request. Resolves with why there would be none, or with null if that is not known. */
export type PlanOf = (request: SubmitRequest, signal: AbortSignal) => Promise<ClipPlan | string | null>;

/** Calls the service with a key. */
export function planVia(send: typeof fetch, apiKey: string): PlanOf {
  return async (request, signal) => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const response = await send('/api/plan', { method: 'POST', headers, body: JSON.stringify(request), signal });
    if (response.status === 409) return (await errorOf(response)).message;
    return response.ok ? response.json() : null;
  };
}

/** Returns the length and the price of some clips, or why one is impossible, as text; empty until all are known. */
export function usePlan(planOf: PlanOf, requests: readonly SubmitRequest[]): string {
  const [plans, setPlans] = useState<ReadonlyMap<string, ClipPlan | string>>(new Map());
  const bodies = requests.map((request) => JSON.stringify(request));
  useEffect(() => {
    const gone = new AbortController();
    for (const body of bodies.filter((one) => !plans.has(one))) {
      planOf(JSON.parse(body), gone.signal).then(
        (plan) => plan && setPlans((before) => new Map(before).set(body, plan)),
        () => {},
      );
    }
    return () => gone.abort();
  }, [planOf, bodies.join()]);
  const known = bodies.flatMap((body) => plans.get(body) ?? []);
  const refusal = known.find((plan) => typeof plan === 'string');
  if (refusal !== undefined) return refusal;
  const possible = known.filter((plan) => typeof plan !== 'string');
  return possible.length < bodies.length || possible.length === 0 ? '' : planText(possible);
}

function planText(plans: readonly ClipPlan[]): string {
  const sum = (of: (plan: ClipPlan) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const shots = sum((plan) => plan.shots.length);
  const currency = plans[0]?.price?.currency;
  const money = currency && new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 });
  return [
    `${shots} ${shots === 1 ? 'shot' : 'shots'}`,
    `${Math.round(sum(({ seconds }) => seconds))} s`,
    ...(money ? [money.format(sum(({ price }) => price?.amount ?? 0))] : []),
  ].join(' · ');
}
