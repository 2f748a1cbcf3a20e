import { roundAt } from '#domain/clip/plan/match.ts';
import { clock } from '../parts/actions.ts';
import { toggle } from '../parts/keys.ts';
import type { OpenReplay } from './timeline.ts';

/** Makes the bar below the picture control a replay, and shows its state. */
export function bindControls(screen: HTMLElement, replay: OpenReplay): void {
  const { file, media } = replay;
  const part = <Kind extends HTMLElement>(name: string) => screen.querySelector(`[data-${name}]`) as Kind;
  const [button, time, full] = [part('toggle'), part('clock'), part('full')];
  const seek = part<HTMLInputElement>('seek');
  const [player, round, speed] = ['player', 'round', 'speed'].map((name) => part<HTMLSelectElement>(name));
  if (!player || !round || !speed) return;

  const isCut = file.shots.length > 0;
  if (isCut) player.append(new Option('As in the clip', ''));
  player.append(...file.players.flatMap(({ name }, index) => (name === '' ? [] : [new Option(name, `${index}`)])));
  round.append(...file.rounds.map(({ number }, index) => new Option(`Round ${number}`, `${index}`)));

  const update = () => {
    const now = media.currentTime;
    seek.value = `${now}`;
    seek.setAttribute('aria-valuetext', clock(now));
    time.textContent = `${clock(now)} / ${clock(media.duration)}`;
    const current = roundAt(file, replay.tick);
    round.value = `${file.rounds.findIndex((one) => one.number === current?.number)}`;
  };
  const updateMoment = () => {
    const { moment, shots, timeline } = replay;
    seek.max = `${media.duration}`;
    player.value = `${moment.player ?? (isCut ? '' : (shots[0]?.pov ?? ''))}`;
    for (const mark of screen.querySelectorAll('.seek i')) mark.remove();
    seek.after(
      ...file.kills
        .filter(({ tick }) => shots.some(({ startTick, endTick }) => tick >= startTick && tick < endTick))
        .map(({ tick, attacker }) => {
          const mark = document.createElement('i');
          mark.style.left = `${(timeline.secondOf(tick) / media.duration) * 100}%`;
          if (attacker === shots[0]?.pov) mark.className = 'own';
          return mark;
        }),
    );
    update();
  };
  const updateState = () => {
    button.setAttribute('aria-label', media.paused ? 'Play' : 'Pause');
    button.classList.toggle('playing', !media.paused);
  };

  button.addEventListener('click', () => toggle(media));
  screen.querySelector('canvas')?.addEventListener('click', () => toggle(media));
  seek.addEventListener('input', () => {
    media.currentTime = seek.valueAsNumber;
  });
  player.addEventListener('change', () => {
    replay.change({ ...replay.moment, player: player.value === '' ? null : Number(player.value) });
  });
  round.addEventListener('change', () => {
    const chosen = file.rounds[Number(round.value)];
    if (!chosen) return;
    replay.change({ ...replay.moment, from: null, to: null });
    media.currentTime = replay.timeline.secondOf(chosen.freezeEndTick ?? chosen.startTick);
  });
  speed.addEventListener('change', () => {
    media.playbackRate = Number(speed.value);
  });
  full.addEventListener('click', () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else screen.requestFullscreen?.().catch(() => {});
  });
  for (const name of ['play', 'pause']) media.addEventListener(name, updateState);
  media.addEventListener('timeupdate', update);
  media.addEventListener('durationchange', updateMoment);
  updateMoment();
  updateState();
  part('bar').hidden = false;
}
