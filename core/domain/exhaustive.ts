/** The end of an exhaustive switch: the compiler refuses it while a case is missing. */
export function assertExhaustive(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
