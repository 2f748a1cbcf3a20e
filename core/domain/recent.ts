/** Remembers so many values by their keys and no more: what was not asked for the longest goes first. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  readonly size: number;
}

export function createRecent<Value>(most: number): Recent<Value> {
  // A map keeps the order in which its keys came: the first is the one that was asked for the longest ago.
  const values = new Map<string, Value>();
  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      values.delete(key);
      const [oldest] = values.keys();
      if (values.size >= most && oldest !== undefined) values.delete(oldest);
      values.set(key, value);
    },
    delete(key) {
      values.delete(key);
    },
    get size() {
      return values.size;
    },
  };
}
