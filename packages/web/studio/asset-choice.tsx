import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Asset, Tickreel } from '#client/index.ts';
import { Button } from '../parts/components.tsx';
import { Select } from './select.tsx';
import { Trouble } from './sign-in.tsx';

interface Props {
  readonly client: Tickreel;
  readonly kind: Asset['kind'];
  readonly label: string;
  /** The id of an asset. */
  readonly value: string | undefined;
  onChoose(assetId: string | undefined): void;
}

/** Picks one of the account's assets of a kind, or uploads one. */
export function AssetChoice({ client, kind, label, value = '', onChoose }: Props): JSX.Element {
  /** By id; null until they are loaded. */
  const [names, setNames] = useState<Readonly<Record<string, string>> | null>(null);
  const [{ isSending, trouble = null }, setState] = useState<{ isSending?: boolean; trouble?: unknown }>({});
  const file = useRef<HTMLInputElement>(null);
  const add = ({ id, name }: Asset) => setNames((before) => ({ ...before, [id]: name ?? id }));
  const fail = (trouble: unknown) => setState({ trouble });

  async function load(): Promise<void> {
    for await (const asset of client.assets.list({ kind })) add(asset);
    setNames((before) => ({ ...before }));
  }
  async function upload(chosen: File): Promise<void> {
    setState({ isSending: true });
    const asset = await client.assets.upload(chosen, { kind, name: chosen.name.slice(0, 100) });
    add(asset);
    onChoose(asset.id);
    setState({});
  }
  useEffect(() => void load().catch(fail), []);

  const texts = { ...(names && { [value]: 'not found' }), '': 'none', ...names };
  return (
    <div>
      <div class="row">
        <Select {...{ label, value, texts }} onChoose={(id) => onChoose(id || undefined)} />
        <Button
          text={isSending ? 'Uploading …' : 'Upload'}
          label={`Upload: ${label}`}
          onClick={() => file.current?.click()}
        />
        <input
          {...{ type: 'file', hidden: true, ref: file, accept: kind === 'music' ? 'audio/*' : 'image/*' }}
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            currentTarget.value = '';
            if (chosen) void upload(chosen).catch(fail);
          }}
        />
      </div>
      <Trouble error={trouble} />
    </div>
  );
}
