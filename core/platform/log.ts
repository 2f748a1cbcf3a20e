/**
 * Writes one line. `fields` say what it is about; no secret and no address with a query belongs into them. A line is of
 * trouble unless it says that it is not.
 */
export type Log = (message: string, fields: Readonly<Record<string, unknown>>, level?: LogLevel) => void;

/** How much is written: all of it, or trouble alone. */
export const LOG_LEVELS = ['info', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Lines of JSON in the platform's log. */
export function createLog(least: LogLevel): Log {
  return (message, fields, level = 'error') => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    // biome-ignore lint/suspicious/noConsole: the platform's log is the console
    console[level](JSON.stringify({ level, message, ...fields }));
  };
}
