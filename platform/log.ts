/** Writes one line. `fields` say what it is about; no secret and no address with a query belongs into them. */
export type Log = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** One line of JSON, in the platform's log. */
export const writeLog: Log = (message, fields) => {
  // biome-ignore lint/suspicious/noConsole: the platform's log is the console
  console.error(JSON.stringify({ message, ...fields }));
};
