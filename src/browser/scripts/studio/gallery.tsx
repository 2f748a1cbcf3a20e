import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Clip, Tickreel } from '#client/index.ts';
import { Dialog } from '../components.tsx';
import { messageOf } from '../errors.ts';

interface Props {
  readonly client: Tickreel;
  /** A new version reloads the list. */
  readonly version: number;
}

const PAGE_SIZE = 24;

/** Shows the account's clips, with buttons to watch, keep and delete them. */
export function Gallery({ client, version }: Props): JSX.Element {
  const [clips, setClips] = useState<readonly Clip[] | null>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const [trouble, setTrouble] = useState('');
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
    setTrouble('');
    work().catch((error: unknown) => setTrouble(messageOf(error)));
  };
  useEffect(() => attempt(() => load(null)), [client, version]);

  async function keep(clip: Clip): Promise<void> {
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
                aria-label={`Watch ${clip.title}, ${Math.round(clip.duration_seconds)} s`}
              >
                <img src={thumbnail} alt="" width="320" height="180" loading="lazy" />
                <small>{Math.round(clip.duration_seconds)} s</small>
              </button>
              <a href={page} target="_blank" rel="noreferrer">
                <bdi>{clip.title}</bdi>
              </a>
              <div class="row">
                <button type="button" aria-pressed={clip.is_saved} onClick={() => attempt(() => keep(clip))}>
                  {clip.is_saved ? 'Kept' : 'Keep'}
                </button>
                <button type="button" onClick={() => setDeleting(clip)} aria-label={`Delete ${clip.title}`}>
                  Delete
                </button>
              </div>
            </li>
          );
        })}
      </ul>
      {cursor !== null && (
        <button type="button" onClick={() => attempt(() => load(cursor))}>
          More
        </button>
      )}
      <p role="alert" class="trouble">
        {trouble}
      </p>
      {playing && (
        <Dialog label={playing.title} onClose={() => setPlaying(null)}>
          {/* biome-ignore lint/a11y/useMediaCaption: nobody speaks in a clip */}
          <video src={client.clips.urls(playing.id).video} controls autoplay playsInline />
        </Dialog>
      )}
      {deleting && (
        <Dialog label="Delete this clip?" onClose={() => setDeleting(null)}>
          <p>
            <bdi>{deleting.title}</bdi> will be gone for everybody, for good.
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
              Delete it
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
