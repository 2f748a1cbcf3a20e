import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Clip, Tickreel } from '#client/index.ts';
import { Button, Dialog } from '../parts/components.tsx';
import { Trouble } from './sign-in.tsx';

interface Props {
  readonly client: Tickreel;
  /** Whether the service answers. The list is loaded again after an outage. */
  readonly isReached: boolean;
  /** A new version reloads the list. */
  readonly version: number;
}

const PAGE_SIZE = 24;

/** Shows the account's clips, with buttons to watch, save and delete them. */
export function Gallery({ client, isReached, version }: Props): JSX.Element {
  const [clips, setClips] = useState<readonly Clip[] | null>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<unknown>(null);
  const [playing, setPlaying] = useState<Clip | null>(null);
  const [deleting, setDeleting] = useState<Clip | null>(null);

  const loads = useRef(0);
  /** The cursor of the load under way. Asking for the same page again changes nothing. */
  const asked = useRef<string | null>(null);

  /** Ignores the result of a load if a later load has begun. */
  async function load(from: string | null): Promise<void> {
    if (from !== null && from === asked.current) return;
    asked.current = from;
    const turn = ++loads.current;
    const query = { state: 'ready', limit: PAGE_SIZE, ...(from === null ? {} : { cursor: from }) } as const;
    const page = await client.clips
      .list(query)
      .page()
      .finally(() => {
        if (turn === loads.current) asked.current = null;
      });
    if (turn !== loads.current) return;
    setClips((before) => {
      const kept = (from === null ? null : before) ?? [];
      return [...kept, ...page.clips.filter(({ id }) => kept.every((other) => other.id !== id))];
    });
    setCursor(page.next_cursor);
  }
  const attempt = (work: () => Promise<void>): void => {
    setTrouble(null);
    work().catch(setTrouble);
  };
  useEffect(() => {
    if (isReached) attempt(() => load(null));
  }, [client, isReached, version]);

  async function save(clip: Clip): Promise<void> {
    await (clip.is_saved ? client.clips.unsave(clip.id) : client.clips.save(clip.id));
    const changed = { ...clip, is_saved: !clip.is_saved };
    setClips((all) => all?.map((each) => (each.id === clip.id ? changed : each)) ?? null);
  }
  async function remove({ id }: Clip): Promise<void> {
    await client.clips.delete(id);
    setClips((all) => all?.filter((each) => each.id !== id) ?? null);
  }

  return (
    <section class="card" aria-labelledby="gallery">
      <h2 id="gallery">Your clips</h2>
      {clips?.length === 0 && cursor === null && <p class="hint">There are none yet.</p>}
      <ul class="gallery">
        {clips?.map((clip) => {
          const { page, thumbnail } = client.clips.urls(clip.id);
          return (
            <li key={clip.id}>
              <button
                type="button"
                class="shot"
                onClick={() => setPlaying(clip)}
                aria-label={`Watch ${clip.title}, ${Math.round(clip.duration_seconds)} s, ${timeText(clip.created_at)}`}
              >
                <img src={thumbnail} alt="" width="320" height="180" loading="lazy" />
                <small>{Math.round(clip.duration_seconds)} s</small>
              </button>
              <a href={page} target="_blank" rel="noreferrer">
                <bdi>{clip.title}</bdi>
              </a>
              <small>
                {timeText(clip.created_at)} · {clip.resolution}p · {clip.fps} fps
              </small>
              <div class="row">
                <button type="button" aria-pressed={clip.is_saved} onClick={() => attempt(() => save(clip))}>
                  {clip.is_saved ? 'Saved' : 'Save'}
                </button>
                <Button
                  text="Delete"
                  label={`Delete ${clip.title}, ${timeText(clip.created_at)}`}
                  onClick={() => setDeleting(clip)}
                />
              </div>
            </li>
          );
        })}
      </ul>
      {cursor !== null && <Button text="More" onClick={() => attempt(() => load(cursor))} />}
      <Trouble error={trouble} />
      {playing && (
        <Dialog label={playing.title} onClose={() => setPlaying(null)}>
          {/* biome-ignore lint/a11y/useMediaCaption: nobody speaks in a clip */}
          <video src={client.clips.urls(playing.id).video} controls autoplay playsInline />
        </Dialog>
      )}
      {deleting && (
        <Dialog label="Delete this clip?" onClose={() => setDeleting(null)}>
          <p>
            <bdi>{deleting.title}</bdi> is deleted for everybody. This cannot be undone.
          </p>
          <div class="row">
            <button
              class="main"
              type="button"
              onClick={() => {
                attempt(() => remove(deleting));
                setDeleting(null);
              }}
            >
              Delete the clip
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** `23 Nov 2026, 11:22` in the user's time zone. */
export function timeText(time: string): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}
