/** Keeps the end of a log for error reports. */
export interface LogTail {
  write(line: string): void;
  /** Returns the last complete lines, up to a number of characters. */
  text(): string;
  /** Forgets all lines. */
  clear(): void;
}

export function createLogTail(most: number): LogTail {
  const lines: string[] = [];
  let length = 0;
  return {
    write(line) {
      lines.push(line);
      length += line.length;
      while (length > most) length -= lines.shift()?.length ?? 0;
    },
    text: () => lines.join(''),
    clear() {
      lines.length = 0;
      length = 0;
    },
  };
}
