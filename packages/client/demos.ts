import type { CallOperation, Methods } from './operations.ts';
import type { AccountMethods, AccountOperations, Demo, Plan, SubmitRequest } from './shapes.ts';
import { sleep } from './sleep.ts';
import type { RequestOptions } from './transport.ts';

export interface InspectOptions extends RequestOptions {
  /** Whether the demo can also be played in a browser, at its `replay_url`. */
  readonly replay?: boolean | undefined;
  /** Called with the demo each time that it is not ready yet. */
  readonly onProgress?: ((demo: Demo) => void) | undefined;
}

export interface Demos extends Methods<AccountMethods['demos']> {
  /**
   * Inspects a demo by its address, and resolves once its `state` is `ready` or `error`. An earlier result is returned
   * at once.
   */
  inspect(demo: string, options?: InspectOptions): Promise<Demo>;
  /** Resolves once the inspection of a demo has ended. */
  wait(demoId: string, options?: InspectOptions): Promise<Demo>;
  /** Reads an inspection. `filter` narrows its kills and highlights; `best_of` writes a timeline of them. */
  get(
    demoId: string,
    options?: RequestOptions & { readonly filter?: AccountOperations['getDemo']['query'] },
  ): Promise<Demo>;
}

/** The first wait between two polls: an inspection takes seconds, or longer while all hosts are busy. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;

export interface Choice extends Pick<Demo, 'demo_url'> {
  readonly name: string;
}

/** Returns the demos to choose from, if the archive has several and none was chosen; else an empty list. */
export function choicesOf({ demo_url, diagnosis }: Pick<Demo, 'demo_url' | 'diagnosis'>): Choice[] {
  const demos = diagnosis?.facts?.demos;
  return (Array.isArray(demos) ? demos : []).map((demo) => {
    const name = String(demo);
    return { name, demo_url: `${demo_url.split('#')[0]}#${encodeURIComponent(name).replaceAll('%2F', '/')}` };
  });
}

export function createDemos(call: CallOperation<AccountOperations>, methods: Methods<AccountMethods['demos']>): Demos {
  const get: Demos['get'] = (id, { filter, ...options } = {}) =>
    call('getDemo', { params: { id }, query: filter }, options);
  const ended = async (begun: Demo, { onProgress, ...options }: InspectOptions): Promise<Demo> => {
    let demo = begun;
    for (let waitMs = FIRST_WAIT_MS; demo.state === 'pending'; waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS)) {
      onProgress?.(demo);
      await sleep(waitMs, options.signal);
      demo = await get(demo.id, { ...options, maxRetries: Infinity });
    }
    return demo;
  };
  return {
    ...methods,
    get,
    wait: async (id, options = {}) => ended(await get(id, options), options),
    async inspect(demo, { replay, ...options } = {}) {
      return ended(await call('inspectDemo', { body: { demo_url: demo, replay } }, options), options);
    },
  };
}

type Shot = Plan['shots'][number];
type Card = NonNullable<Plan['cards']>[number];

/** Returns the cards and the shots of a plan, in the order of the clip. */
export function cutListOf({ shots, cards = [] }: Plan): readonly (Shot | Card)[] {
  const isLast = ({ kind }: Card) => kind === 'outro';
  return [...cards.filter((card) => !isLast(card)), ...shots, ...cards.filter(isLast)];
}

/** Seconds between the shots of a round that clips of the best moments join. */
export const BEST_MERGE_GAP = 5;

/** Returns the request of a highlight with its `merge_gap`. A range of ticks has none. */
export function bestRequest<Moment extends Pick<SubmitRequest, 'timeline'>>(moment: Moment): Moment {
  return moment.timeline ? moment : { ...moment, merge_gap: BEST_MERGE_GAP };
}
