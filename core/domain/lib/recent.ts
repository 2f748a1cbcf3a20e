/** Keeps at most a number of values by key. Evicts the least recently used. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  readonly size: number;
}

export function createRecent<Value>(most: number): Recent<Value> {
  // A map keeps insertion order: the first key is the least recently used.
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
