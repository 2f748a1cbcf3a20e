/** The end of what was written to a log, for whoever asks what went wrong. */
export interface LogTail {
  write(line: string): void;
  /** The last whole lines, of so many characters at most. */
  text(): string;
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
  };
}
