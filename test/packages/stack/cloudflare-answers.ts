/** An error of the API, by the platform's number. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly retryAfter: number | undefined;

  constructor(status: number, code: number, message: string, retryAfter?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export const NO_WORKER = new ApiError(404, 10007, 'This Worker does not exist on your account.');

/**
 * Splits SQL as D1's server is reported to: at each semicolon, those in texts and comments too. Only a trigger on one
 * physical line stays whole: with LF, an upper-case `BEGIN`, and no `END` but its last. SQLite then calls the parts of
 * any other "incomplete input".
 */
export function splitOnServer(sql: string): string[] {
  const trigger = /^[ \t]*CREATE TRIGGER (?:(?!\bEND\b)[^\n\r])* BEGIN (?:(?!\bEND\b)[^\n\r])*\bEND;(?![^\n])/gm;
  const whole: string[] = [];
  const cut = sql.replace(trigger, (line) => `\0${whole.push(line) - 1};`).split(';');
  const parts = cut.map((part) => part.trim()).filter((part) => part !== '');
  return parts.map((part) => part.replace(/^\0(\d+)$/, (_, at: string) => whole[Number(at)] ?? ''));
}
