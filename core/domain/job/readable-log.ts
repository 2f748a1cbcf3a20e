const LEVELS: Readonly<Record<number, string>> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/**
 * Formats the JSON lines of pino, which render hosts log with: seconds since `start` (milliseconds since the epoch),
 * level, message, and the other fields as JSON. Leaves other lines as they are.
 */
export function readableLog(log: string, start: number): string {
  return log.replaceAll(/^\{.*\}$/gm, (line) => readable(line, start));
}

function readable(line: string, start: number): string {
  let entry: { [field: string]: unknown };
  try {
    entry = JSON.parse(line);
  } catch {
    return line;
  }
  const { time, level, msg = '', name: _n, pid: _p, hostname: _h, job: _j, ...more } = entry;
  if (typeof time !== 'number') return line;
  const seconds = `${((time - start) / 1000).toFixed(1)} s`;
  const fields = Object.keys(more).length === 0 ? [] : [JSON.stringify(more)];
  return [seconds, LEVELS[Number(level)] ?? level, msg, ...fields].join(' ');
}
