/** Fields beyond the contract's, by their names in the reference. */
export interface Including {
  readonly include?: readonly string[] | undefined;
}

export function including({ include = [] }: Including = {}): { include?: string } {
  return include.length === 0 ? {} : { include: include.join(',') };
}
