/** Numbers of one name, distinguished by their labels. */
export interface Family {
  /** Without `_total`, which only the lines of counters have. */
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export type Sample = readonly [labels: Readonly<Record<string, string | number>>, value: number];

export const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/**
 * Formats metrics for Prometheus. https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
 */
export function openMetrics(families: readonly Family[]): string {
  return `${families.map(familyText).join('')}# EOF\n`;
}

function familyText({ name, type, help, samples }: Family): string {
  const suffix = type === 'counter' ? '_total' : '';
  const lines = samples.map(([labels, value]) => `${name}${suffix}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Sample[0]): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
