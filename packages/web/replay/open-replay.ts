import type { TracksFile } from '#tracks/file.ts';
import type { ReplayMoment, ReplayShot } from './moment.ts';
import type { ReplayMedia } from './replay-media.ts';
import type { Timeline } from './timeline.ts';

/** A replay that plays, and the part of its match that it shows. */
export interface OpenReplay {
  readonly file: TracksFile;
  readonly media: ReplayMedia;
  readonly moment: ReplayMoment;
  readonly shots: readonly ReplayShot[];
  readonly timeline: Timeline;
  /** The shown tick. */
  readonly tick: number;
  /** Shows another part of the match, at the same tick if that has it. */
  change(moment: ReplayMoment): void;
}
