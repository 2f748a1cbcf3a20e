/** More than the contract's fields, by the names that the reference has for it. */
export interface Including {
  readonly include?: readonly string[] | undefined;
}

export function including({ include = [] }: Including = {}): { include?: string } {
  return include.length === 0 ? {} : { include: include.join(',') };
}
