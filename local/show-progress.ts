import cliProgress from 'cli-progress';
import type { JobNotice } from '../protocol/job-notice.ts';

export interface ProgressDisplay {
  update(notice: JobNotice): void;
  stop(): void;
}

const LABELS: Record<JobNotice['status'], string> = {
  pending: 'waiting for a render host',
  prefetch: 'downloading the demo',
  render: 'rendering',
  retrying: 'waiting to try again',
  done: 'done',
  error: 'failed',
};

/** A bar on a terminal, a plain line at each tenth elsewhere. Writes to standard error. */
export function showProgress(stream: NodeJS.WriteStream): ProgressDisplay {
  return stream.isTTY ? bar(stream) : lines(stream);
}

function bar(stream: NodeJS.WriteStream): ProgressDisplay {
  const progressBar = new cliProgress.SingleBar({
    stream,
    format: (options, params, payload: { label?: string }) => {
      const filled = cliProgress.Format.BarFormat(params.progress, options);
      const percent = String(Math.floor(params.progress * 100)).padStart(3);
      return `  ${filled} ${percent} %  ${payload.label ?? ''}`;
    },
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 32,
    hideCursor: true,
    clearOnComplete: false,
  });
  progressBar.start(1, 0, { label: LABELS.pending });
  return {
    update: (notice) => progressBar.update(shareDone(notice), { label: LABELS[notice.status] }),
    stop: () => progressBar.stop(),
  };
}

function lines(stream: NodeJS.WriteStream): ProgressDisplay {
  let last = '';
  return {
    update(notice) {
      const line = `${LABELS[notice.status]} ${Math.floor(shareDone(notice) * 10) * 10} %`;
      if (line !== last) stream.write(`  ${line}\n`);
      last = line;
    },
    stop() {},
  };
}

function shareDone(notice: JobNotice): number {
  return notice.status === 'done' ? 1 : (notice.progress ?? 0);
}
