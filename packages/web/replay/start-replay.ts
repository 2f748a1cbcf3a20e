import { playerOptions } from '#protocol/clip/player.ts';
import { openTracks, shotsOf, type TracksFile } from '#tracks/file.ts';
import { bindCopies, bindHelp } from '../parts/actions.ts';
import { messageOf } from '../parts/format.ts';
import { bindKeys } from '../parts/keys.ts';
import { answerPlayerJs } from '../parts/player-js.ts';
import { rangesOf } from './chunk-cache.ts';
import { bindControls } from './controls.ts';
import { bindFilm } from './film.ts';
import { ReplayMedia } from './replay-media.ts';
import { createShownPlayer } from './shown-player.ts';
import { createTimeline, momentOf, type OpenReplay, type ReplayMoment, type ReplayShot, shotsIn } from './timeline.ts';
import { createView } from './view.ts';

/** Plays the replay of a page or of an embed as its address says, and its clip's video once there is one. */
export async function startReplay(screen: HTMLElement): Promise<void> {
  const [state, trouble] = ['state', 'trouble'].map((name) => screen.querySelector(`[data-${name}]`) as HTMLElement);
  const fail = (error: unknown) => {
    if (!state || !trouble) return;
    state.textContent = '';
    trouble.hidden = false;
    trouble.textContent = `The replay cannot be shown. ${messageOf(error)}`;
  };
  const tell = (text: string) => {
    if (state && state.textContent !== text) state.textContent = text;
    // What is drawn again needs no message.
    if (trouble && text === '') trouble.hidden = true;
  };
  try {
    const query = new URLSearchParams(location.search);
    const options = playerOptions(query);
    const file = await openTracks(rangesOf(screen.dataset.tracks ?? ''));
    const replay = openReplay(screen, file, momentOf(Object.fromEntries(query)), tell, fail);
    const { media } = replay;
    const shown = createShownPlayer(media);
    media.loop = options.loop;
    media.currentTime = options.start ?? 0;
    bindControls(screen, replay);
    void bindFilm(
      screen,
      replay,
      shown,
      Object.values(replay.moment).every((of) => of === null),
    );
    const mayMove = !matchMedia('(prefers-reduced-motion: reduce)').matches && !screen.classList.contains('film');
    if (options.autoplay || (screen.dataset.autoplay !== undefined && mayMove)) void shown.player.play();
    bindKeys(shown.player, screen, { '?': bindHelp() });
    bindCopies(shown.player, (t) => {
      const asked = Object.entries({ ...replay.moment, t: t || null });
      return Object.fromEntries(asked.filter((one): one is [string, number] => one[1] !== null));
    });
    answerPlayerJs(shown.player, {
      setMoment(value) {
        replay.change(momentOf(Object(value)));
        media.currentTime = 0;
      },
    });
  } catch (error) {
    fail(error);
  }
}

function openReplay(
  screen: HTMLElement,
  file: TracksFile,
  first: ReplayMoment,
  tell: (text: string) => void,
  fail: (error: unknown) => void,
): OpenReplay {
  const canvas = screen.querySelector('canvas') as HTMLCanvasElement;
  const all: readonly ReplayShot[] = file.shots.length > 0 ? shotsOf(file) : [wholeOf(file, first)];
  let moment = first;
  let shots = shotsIn(all, moment, file.players.length);
  let timeline = createTimeline(shots, file.tickRate);
  const media = new ReplayMedia({
    get duration() {
      return timeline.seconds;
    },
    draw(second) {
      const { shot, tick } = timeline.at(second);
      const part = shots[shot];
      try {
        const isDrawn = part !== undefined && view.draw(part, tick);
        tell(isDrawn ? '' : 'Loading the replay');
        return isDrawn;
      } catch (error) {
        fail(error);
        return false;
      }
    },
    requestFrame: (callback) => requestAnimationFrame(callback),
  });
  const view = createView(canvas, file, () => media.refresh(), fail);
  return {
    file,
    media,
    get moment() {
      return moment;
    },
    get shots() {
      return shots;
    },
    get timeline() {
      return timeline;
    },
    get tick() {
      return timeline.at(media.currentTime).tick;
    },
    change(next) {
      const { tick } = timeline.at(media.currentTime);
      moment = next;
      shots = shotsIn(all, moment, file.players.length);
      timeline = createTimeline(shots, file.tickRate);
      media.currentTime = timeline.secondOf(tick);
      media.dispatchEvent(new Event('durationchange'));
    },
  };
}

/** Returns a whole match, seen by the player with the most kills in the moment. */
function wholeOf({ firstTick, lastTick, kills }: TracksFile, { from, to }: ReplayMoment): ReplayShot {
  const counts = new Map<number, number>();
  for (const { attacker, victim, tick } of kills) {
    if (attacker === null || attacker === victim || tick < (from ?? firstTick) || tick > (to ?? lastTick)) continue;
    counts.set(attacker, (counts.get(attacker) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());
  const pov = [...counts].find(([, count]) => count === most)?.[0] ?? 0;
  return { startTick: firstTick, endTick: lastTick + 1, pov, speeds: [] };
}
