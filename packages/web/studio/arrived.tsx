import type { JSX } from 'preact';
import type { UploadSummary } from '#client/index.ts';
import { Button } from '../parts/components.tsx';
import { gameServerLines } from '../parts/format.ts';
import { timeText } from './gallery.tsx';

interface Props {
  readonly uploads: readonly UploadSummary[];
  onOpen(demoUrl: string): unknown;
}

/** Lists the account's newest demos with how each came, and a button that opens it. */
export function Arrived({ uploads, onOpen }: Props): JSX.Element {
  return (
    <fieldset class="arrived">
      <legend>Demos that arrived</legend>
      {uploads.length === 0 && <p class="hint">Demos that you upload and those of your game servers appear here.</p>}
      <details>
        <summary>How a game server sends its demos</summary>
        <p class="hint">
          Under Account, make a key of scope ingest: it only sends demos. With these lines in its configuration, MatchZy
          sends each demo. For get5, begin each line with get5 instead of matchzy.
        </p>
        <pre>{gameServerLines('tr_met_…')}</pre>
      </details>
      <ul class="renders">
        {uploads.map(({ id, name, state, demo_url, ...upload }) => (
          <li key={id}>
            <bdi>{name}</bdi>
            <small>{originOf(upload)}</small>
            {state === 'open' ? (
              <small>Not all of it is here yet</small>
            ) : (
              <Button
                text="Open"
                label={`Open ${name}, ${timeText(upload.created_at)}`}
                onClick={() => onOpen(demo_url)}
              />
            )}
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

const ORIGINS = { upload: 'Uploaded', ingest: 'From a game server', faceit: 'From FACEIT' };

function originOf(upload: Pick<UploadSummary, 'source' | 'tag' | 'facts' | 'bytes' | 'created_at'>): string {
  const { source, tag, facts, bytes, created_at } = upload;
  const known = { match: facts?.match_id, map: facts?.map_number, round: facts?.round_number };
  const numbers = Object.entries(known).flatMap(([of, value]) => (value === undefined ? [] : `${of} ${value}`));
  const size = bytes > 0 ? `${Math.ceil(bytes / 1e6)} MB` : [];
  return [ORIGINS[source], tag ?? [], numbers, size, timeText(created_at)].flat().join(' · ');
}
