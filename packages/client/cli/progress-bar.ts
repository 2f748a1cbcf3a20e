import { cleanLine } from '#domain/clean-text.ts';
import type { JobProgress } from '../index.ts';

export interface ProgressDisplay {
  readonly update: (progress: JobProgress) => void;
  readonly stop: () => void;
}

const LABELS: Record<JobProgress['status'], string> = {
  pending: 'waiting for a render host',
  prefetch: 'downloading the demo',
  render: 'rendering',
  retrying: 'waiting to try again',
  done: 'done',
  error: 'failed',
};
const WIDTH = 32;
const TO_LINE_START = '\r';
const CLEAR_TO_LINE_END = '\u001b[K';

/** Shows a bar on a terminal, else a line at each tenth. A job without progress has neither bar nor percentage. */
export function showProgress(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): ProgressDisplay {
  return stream.isTTY ? bar(stream) : lines(stream);
}

/** Shows the same for an upload, on a terminal only. */
export function showUpload(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): {
  readonly update: (arrived: number, total: number) => void;
  readonly stop: () => void;
} {
  const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  let isDrawn = false;
  return {
    update(arrived: number, total: number) {
      // A file that the service already has needs no bar.
      if (!stream.isTTY || (!isDrawn && arrived === total)) return;
      stream.write(draw(arrived / total, `uploading, ${mib(arrived)} of ${mib(total)} MiB`));
      isDrawn = true;
    },
    stop() {
      if (isDrawn) stream.write('\n');
    },
  };
}

function draw(share: number, label: string): string {
  const filled = Math.round(share * WIDTH);
  const picture = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${TO_LINE_START}  ${picture} ${percent} %  ${label}${CLEAR_TO_LINE_END}`;
}

function bar(stream: Pick<NodeJS.WriteStream, 'write'>): ProgressDisplay {
  let isDrawn = false;
  return {
    update(progress) {
      const label = labelOf(progress) + placeOf(progress);
      stream.write(
        progress.progress === null ? `${TO_LINE_START}  ${label}${CLEAR_TO_LINE_END}` : draw(progress.progress, label),
      );
      isDrawn = true;
    },
    stop() {
      if (isDrawn) stream.write('\n');
    },
  };
}

function lines(stream: Pick<NodeJS.WriteStream, 'write'>): ProgressDisplay {
  let last = '';
  return {
    update(progress) {
      const share = progress.progress === null ? '' : ` ${Math.floor(progress.progress * 10) * 10} %`;
      const line = labelOf(progress) + share;
      if (line !== last) stream.write(`  ${line}\n`);
      last = line;
    },
    stop() {},
  };
}

function labelOf({ status, error_code, queue }: JobProgress): string {
  const label = error_code === null ? LABELS[status] : `${LABELS[status]}: ${error_code}`;
  return cleanLine(queue ? `${label}: ${queue.text}` : label);
}

/** Returns the place in the queue, for a bar. A line for each change of it would be too many. */
function placeOf({ queue }: JobProgress): string {
  if (!queue || queue.position === null) return '';
  const wait = queue.estimate_s === null ? '' : `, about ${queue.estimate_s} s`;
  return ` (position ${queue.position}${wait})`;
}
