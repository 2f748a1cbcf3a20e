import { LOG_LEVELS } from '#protocol/operate/variables.ts';

/** Writes one line. `fields` describe it; no secrets, no addresses with a query. The level is `error` by default. */
export type Log = (message: string, fields: Readonly<Record<string, unknown>>, level?: LogLevel) => void;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Creates a log that writes lines of JSON to the platform's log. */
export function createLog(least: LogLevel): Log {
  return (message, fields, level = 'error') => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    // biome-ignore lint/suspicious/noConsole: the platform's log is the console
    console[level](JSON.stringify({ level, message, ...fields }));
  };
}
