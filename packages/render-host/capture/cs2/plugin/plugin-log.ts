import { open } from 'node:fs/promises';

/** What the plugin's log reports. */
export type PluginEvent =
  | { readonly kind: 'loaded' | 'no-actions' | 'playing' | 'paused' | 'resumed' | 'next' }
  | { readonly kind: 'ran'; readonly command: string };

/** The texts of cs-demo-manager's `main.cpp`. Newer versions write the tick first. */
const PATTERNS: readonly (readonly [RegExp, Exclude<PluginEvent['kind'], 'ran'>])[] = [
  [/^JSON sequences file loaded/, 'loaded'],
  [/^(?:JSON sequences file not found|No sequences found)/, 'no-actions'],
  [/^Demo playback started/, 'playing'],
  [/^Pausing demo playback/, 'paused'],
  [/^Resuming demo playback/, 'resumed'],
  [/^Going to next sequence/, 'next'],
];

/** Returns the event of a line of the log, or null. */
export function readPluginLine(line: string): PluginEvent | null {
  const text = line.trimEnd().replace(/^\[-?\d+\] /, '');
  const ran = /^Executing: (.*)$/.exec(text);
  if (ran !== null) return { kind: 'ran', command: ran[1] ?? '' };
  const kind = PATTERNS.find(([pattern]) => pattern.test(text))?.[1];
  return kind === undefined ? null : { kind };
}

/** A longer line is not the plugin's. */
const MAX_LINE = 64 * 1024;

/** Returns the complete lines that were written to a file since the last call; none for a missing file. */
export function tailFile(path: string): () => Promise<string[]> {
  let offset = 0;
  let rest = '';
  const decoder = new TextDecoder();
  return async () => {
    const file = await open(path).catch(() => null);
    if (file === null) return [];
    try {
      const { size } = await file.stat();
      // A new start of the game writes a new log.
      if (size < offset) {
        offset = 0;
        rest = '';
      }
      const bytes = Buffer.alloc(Math.min(size - offset, MAX_LINE * 16));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      offset += bytesRead;
      const lines = (rest + decoder.decode(bytes.subarray(0, bytesRead), { stream: true })).split('\n');
      rest = (lines.pop() ?? '').slice(-MAX_LINE);
      return lines.map((line) => line.replace(/\r$/, ''));
    } finally {
      await file.close();
    }
  };
}
