/** Ends an exhaustive switch: it does not compile while a case is missing. */
export function assertExhaustive(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
