import type { JobStatus } from '#domain/job/job.ts';
import type { Happening, Step } from './actions.ts';
import { type Answer, ContractModel } from './contract-model.ts';
import {
  CRASH_GUARD_MS,
  expectAtRest,
  expectDelivered,
  expectNothingDue,
  expectSound,
  expectWhole,
} from './invariants.ts';
import { Crash, type System } from './system.ts';

class Violation extends Error {}

export interface LiveOptions {
  /** Evict the object before every alarm. */
  readonly evictBeforeAlarms: boolean;
  /** Whether the receiver works during the final phase. */
  readonly receiverRecovers: boolean;
  /** Called at each eviction before a step. */
  readonly onEvicted?: () => void;
}

const CRON_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;

/** Runs one life of a job, compares it with the model after every step, and then runs until nothing is pending. */
export async function live(system: System, steps: readonly Step[], options: LiveOptions): Promise<void> {
  /** The possible states so far: an object that dies during a call has done all of it or nothing. */
  let models = [new ContractModel()];
  const now = () => system.now();

  /**
   * Does a call on the system and on each model. `follow` changes a model and returns what is wrong with the answer; it
   * gets no answer of an object that died.
   */
  async function doing<T>(
    act: () => Promise<T>,
    follow: (model: ContractModel, answer: { readonly value: T } | null) => string | null,
  ): Promise<void> {
    let answer: { readonly value: T } | null = null;
    try {
      answer = { value: await act() };
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    const view = await system.view();
    const wrong: string[] = [];
    const next = models.flatMap((model) => {
      const after = model.copy();
      const complaint = follow(after, answer);
      const candidates = answer === null ? [after, model] : [after];
      return candidates.filter((candidate) => {
        const difference = complaint ?? candidate.differs(view);
        if (difference !== null) wrong.push(difference);
        return difference === null;
      });
    });
    if (next.length === 0) throw new Violation(wrong.join('; '));
    models = next;
  }

  const working = async (): Promise<JobStatus | null> => (await system.view())?.status ?? null;

  async function rings(act: () => Promise<void>): Promise<void> {
    if (options.evictBeforeAlarms) await system.evict();
    let status = await working();
    await doing(
      async () => {
        try {
          await act();
        } finally {
          status = await working();
        }
      },
      (model) => {
        model.ring(now(), status);
        return null;
      },
    );
  }

  async function pass(ms: number, alarms: 'on-time' | 'late' | 'twice'): Promise<void> {
    const until = now() + ms;
    if (alarms === 'late') system.setNow(until);
    for (let count = 0; ; count++) {
      const at = await system.alarmAt();
      if (at === null || at > until) break;
      if (count === 500) throw new Violation('the alarm rings again and again');
      system.setNow(Math.max(at, now()));
      await rings(() => system.ring());
      if (alarms === 'twice') await rings(() => system.ring());
    }
    system.setNow(until);
    await overtake();
  }

  /** Checks what is stored against the invariants. Two models that a client cannot distinguish may be left. */
  async function sound(): Promise<ContractModel> {
    const snapshot = await system.snapshot();
    const fitting = models.filter(({ state }) => !snapshot || state.run === snapshot.job.run);
    if (fitting.length > 0) models = fitting;
    const [model = new ContractModel()] = models;
    expectSound(snapshot, model, await system.sent(), now(), system.diedAt());
    expectWhole(snapshot, await system.files());
    return model;
  }

  /**
   * Removes overdue work from the models, even without an alarm; work that a death interrupted waits for its guard
   * alarm.
   */
  async function overtake(): Promise<void> {
    const diedAt = system.diedAt();
    if (diedAt !== null && now() <= diedAt + CRASH_GUARD_MS) return;
    const seen = await working();
    await doing(
      async () => {},
      (model) => {
        model.ring(now(), seen);
        return null;
      },
    );
    expectNothingDue(await system.snapshot(), now());
  }

  /** Moves the clock until the cron may call the job, and calls it. */
  async function cron(): Promise<void> {
    // A job that dies during the call of the cron is called again in a later run.
    for (let runs = 0; runs < 3; runs++) {
      const at = await system.upkeepAt();
      if (at === null) return;
      system.setNow(Math.max(now(), at + CRON_MS));
      await rings(() => system.runCron());
      await overtake();
      if ((await system.alarmAt()) !== null) return;
    }
  }

  /** Whether the index has the present state of the job; true if that state need not be indexed. */
  async function isIndexed(): Promise<boolean> {
    const snapshot = await system.snapshot();
    return snapshot !== null && !snapshot.outbox.some(({ effect }) => effect.type === 'project');
  }

  async function claim(): Promise<void> {
    await doing(
      () => system.claim(),
      (model, answer) => {
        if (answer?.value === null) return null;
        return model.granted(answer?.value ?? model.state.fence + 1, now());
      },
    );
  }

  async function call(happening: Happening): Promise<void> {
    const snapshot = await system.snapshot();
    const open = snapshot?.deliveries.filter(({ nextAt }) => nextAt !== null).length ?? 0;
    const last = snapshot ? snapshot.job.fence : 0;
    const fence = 'stale' in happening && happening.stale ? last - 1 : last;
    await doing(
      () => system.call(happening, fence),
      (model, answer) => complaint(happening, model.apply(happening, now(), open), answer),
    );
  }

  async function happen(happening: Happening): Promise<void> {
    switch (happening.do) {
      case 'pass':
        return pass(happening.ms, happening.alarms);
      case 'lose-alarm':
        // The cron reads only the index. docs/reliability.md excludes the loss of both at once.
        if (!(await isIndexed())) return;
        await system.loseAlarm();
        return cron();
      case 'lose-queue':
        return system.loseQueue();
      case 'receiver':
        return system.receiver(happening.answers);
      case 'outage':
        return system.outage(happening.of);
      case 'claim':
        return claim();
      default:
        return call(happening);
    }
  }

  for (const { happening, evict, crash } of steps) {
    if (evict) {
      await system.evict();
      options.onEvicted?.();
    }
    await system.crashAt(crash);
    await happen(happening);
    await system.crashAt(null);
    await sound();
  }

  await system.outage(null);
  await system.receiver(options.receiverRecovers ? 'ok' : 'fails');
  const before = (await system.snapshot())?.deliveries ?? [];
  // A working host takes the waiting job; nothing else happens until no alarm is left, for two days at most.
  for (let rounds = 0; rounds < 12 && (await system.alarmAt()) !== null; rounds++) {
    await pass(4 * HOUR_MS, 'on-time');
    if ((await working()) !== 'pending') continue;
    await claim();
    if ((await working()) === 'prefetch') await call({ do: 'complete', stale: false });
  }
  await cron();
  const model = await sound();
  expectAtRest(await system.snapshot(), await system.aftermath(), await system.sent(), model);
  expectDelivered(await system.snapshot(), before, options.receiverRecovers);
}

function complaint(
  happening: Happening,
  expected: Answer | undefined,
  answer: { readonly value: Answer } | null,
): string | null {
  if (answer === null || expected === undefined || answer.value === expected) return null;
  return `${happening.do} was answered with ${answer.value} instead of ${expected}`;
}
