import type { Kind } from './host-request.ts';
import type { Fault } from './scripted-gateway.ts';
import type { Stage } from './stage.ts';

const ASKS_AGAIN = 'a further claim';

const completed = ({ gateway }: Stage) => gateway.of('completeJob').some(({ answer }) => answer === 204);
export const claims = ({ gateway }: Stage) => gateway.of('claimJob').length + gateway.held();
export function must(isRight: boolean, otherwise: string): void {
  if (!isRight) throw new Error(otherwise);
}
const failed = ({ gateway }: Stage) => gateway.of('failJob').find(({ answer }) => answer === 204);
export const completes = async (stage: Stage): Promise<void> => {
  await stage.until('a completed job', () => completed(stage) || failed(stage) !== undefined);
  must(completed(stage), `it failed the job: ${failed(stage)?.values.code}, ${failed(stage)?.values.detail}`);
};
export const asksAgain = async (stage: Stage) => {
  const before = stage.gateway.of('claimJob').length;
  await stage.until(ASKS_AGAIN, () => stage.gateway.held() > 0 || stage.gateway.of('claimJob').length > before);
};
/** The faults of the first requests of some kinds. */
export const first = (kinds: readonly Kind[], fault: Fault) => (kind: Kind, nth: number) =>
  kinds.includes(kind) && nth === 0 ? fault : undefined;
export const fails = async (stage: Stage): Promise<string> => {
  await stage.until('a failed job', () => failed(stage) !== undefined);
  return String(failed(stage)?.values.code);
};

export const ONE_JOB = { claims: ['job'] } as const;
