import type { ErrorCode } from '#domain/error-codes.ts';
import type { Facts } from '#domain/failure.ts';
import { Refusal } from '../source2/frames.ts';

/** The errors of a demo file that cannot become a clip. */
export type DemoFault = Extract<ErrorCode, 'demo_failed_parse' | 'demo_incompatible'>;

/** Stops a parse from inside the parser's callbacks. `readMatch` turns it into a result. */
export class RejectedDemo extends Refusal {
  readonly code: DemoFault;
  readonly facts: Facts | undefined;

  constructor(code: DemoFault, detail: string, facts?: Facts) {
    super(detail);
    this.name = 'RejectedDemo';
    this.code = code;
    this.facts = facts;
  }
}

/** Adds to a list that a crafted recording could grow without end. */
export function addAtMost<T>(list: T[], most: number, what: string, thing: T): void {
  if (list.length >= most) throw new RejectedDemo('demo_failed_parse', `more than ${most} ${what}`);
  list.push(thing);
}
