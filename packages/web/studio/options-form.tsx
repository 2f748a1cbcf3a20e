import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { BEST_MERGE_GAP } from '#client/demos.ts';
import type { SubmitRequest, Tickreel } from '#client/index.ts';
import { ASPECTS, type Aspect, DEFAULTS, sizeOf } from '#domain/clip/render-order.ts';
import { AssetChoice } from './asset-choice.tsx';
import { Select } from './select.tsx';

/** The service's defaults, but for `merge_gap`. */
export const DEFAULT_OPTIONS = {
  resolution: 1080,
  aspect: '16:9',
  fps: 30,
  thumbnail_style: 'full',
  hud_killfeed: false,
  hud_damage_ticker: false,
  pre_kill_padding: 3,
  post_kill_padding: 2,
  pov: 'killer',
  merge_gap: BEST_MERGE_GAP,
  commands: { spec_show_xray: '0', cl_draw_only_deathnotices: '1' },
} as const satisfies Partial<SubmitRequest>;

type Chosen = 'names' | 'kill_slowdown' | 'title_card' | 'card_seconds' | `${'intro' | 'outro' | 'music'}_asset_id`;

/** The values of the form, as fields of a request. `speed`: of what is no round. */
export type ClipOptions = { readonly [Name in keyof typeof DEFAULT_OPTIONS]: NonNullable<SubmitRequest[Name]> } & {
  readonly speed?: number;
} & Readonly<Pick<SubmitRequest, Chosen>>;

/** Shows no names of the game: its HUD and killfeed would. The service refuses them with hidden names. */
const NAMELESS = { hud_killfeed: true, commands: DEFAULT_OPTIONS.commands } as const;

/** Adds the options to a request. The clip of a timeline has its own length. */
export function withOptions(request: SubmitRequest, { speed, ...form }: ClipOptions): SubmitRequest {
  const options = form.names ? { ...form, ...NAMELESS } : form;
  if (request.timeline === undefined) return { ...request, ...options };
  const { pre_kill_padding: _, post_kill_padding: __, pov: ___, merge_gap: ____, ...rest } = options;
  return { ...request, ...rest, timeline: request.timeline.map((segment) => ({ ...segment, speed })) };
}

const hasCard = ({ title_card, intro_asset_id, outro_asset_id }: ClipOptions): boolean =>
  Boolean(title_card || intro_asset_id || outro_asset_id);

interface Props {
  readonly client: Tickreel;
  readonly options: ClipOptions;
  /** Whether a clip is of a range of ticks. */
  readonly hasRange?: boolean;
  onChange(change: (before: ClipOptions) => ClipOptions): void;
}

export function OptionsForm({ client, options, hasRange, onChange }: Props): JSX.Element {
  /** The account's assets are loaded when the form is opened. */
  const [isOpened, setOpened] = useState(false);
  const set = (changed: Partial<ClipOptions>) =>
    onChange((before) => {
      const { card_seconds, ...next } = { ...before, ...changed };
      // The service refuses the length of cards that nobody asked for.
      return hasCard(next) ? { ...next, card_seconds } : next;
    });
  const { commands } = options;
  const hasXray = commands.spec_show_xray === '1';
  const check = (label: string, checked: boolean | undefined, onChange: () => void) => (
    <label>
      <input type="checkbox" checked={checked} onChange={onChange} /> {label}
    </label>
  );
  const checkFor = (name: 'hud_killfeed' | 'hud_damage_ticker' | 'title_card', label: string) =>
    check(label, options[name], () => set({ [name]: !options[name] }));
  const number = (name: keyof ClipOptions, label: string, value: number, min: number, max: number, step = 0.5) => (
    <label>
      {label}
      <input
        type="number"
        {...{ min, max, step, value }}
        onInput={({ currentTarget }) => currentTarget.checkValidity() && set({ [name]: currentTarget.valueAsNumber })}
      />
    </label>
  );
  const asset = (kind: 'intro' | 'outro' | 'music', label: string) => (
    <AssetChoice
      {...{ client, kind, label, value: options[`${kind}_asset_id`] }}
      onChoose={(id) => set({ [`${kind}_asset_id`]: id })}
    />
  );
  return (
    <details class="options" onToggle={() => setOpened(true)}>
      <summary>
        {options.resolution}p · {options.aspect === '16:9' ? '' : `${options.aspect} · `}
        {options.fps} fps
        {options.merge_gap > 0 && ` · shots up to ${options.merge_gap} s apart are joined`}
      </summary>
      <div class="row wide">
        <Select
          label="Resolution"
          value={options.resolution}
          texts={{ 1080: '1080p', 1440: '1440p' }}
          onChoose={(value) => set({ resolution: value === '1440' ? 1440 : 1080 })}
        />
        <Select
          label="Frame rate"
          value={options.fps}
          texts={{ 30: '30 fps', 60: '60 fps', 120: '120 fps' }}
          onChoose={(value) => set({ fps: Number(value) })}
        />
        {number('pre_kill_padding', 'Seconds before a kill', options.pre_kill_padding, 0.5, 5)}
        {number('post_kill_padding', 'Seconds after a kill', options.post_kill_padding, 0.5, 5)}
        {number('merge_gap', 'Join shots up to … s apart', options.merge_gap, 0, 10)}
        <Select
          label="Kills are seen by"
          value={options.pov}
          texts={{ killer: 'the killer', victim: 'the victim', both: 'both' }}
          onChoose={(pov) => set({ pov: pov as ClipOptions['pov'] })}
        />
        <Select
          label="Speed at kills"
          value={options.kill_slowdown ?? 1}
          texts={{ 1: 'normal', '0.75': '0.75', '0.5': '0.5', '0.25': '0.25' }}
          onChoose={(value) => set({ kill_slowdown: value === '1' ? undefined : Number(value) })}
        />
        {hasRange && number('speed', 'Speed of a defuse', options.speed ?? 1, 0.1, 4, 0.1)}
      </div>
      {isOpened && (
        <div class="row wide">
          {asset('intro', 'Intro')}
          {asset('outro', 'Outro')}
          {asset('music', 'Music')}
          {checkFor('title_card', 'Title card')}
          {hasCard(options) &&
            number('card_seconds', 'Seconds of a card', options.card_seconds ?? DEFAULTS.cardSeconds, 1, 10)}
        </div>
      )}
      <Choice
        name="aspect"
        legend="Shape"
        value={options.aspect}
        // The service refuses the game's HUD in other shapes: it would be cut off.
        onChoose={(aspect) =>
          set({ aspect, ...(aspect !== '16:9' && { commands: { ...commands, cl_draw_only_deathnotices: '1' } }) })
        }
      >
        {ASPECTS.map((aspect) => [aspect, aspect, <Shape key={aspect} aspect={aspect} />] as const)}
      </Choice>
      <Choice
        name="hud"
        legend="HUD"
        value={commands.cl_draw_only_deathnotices ?? '1'}
        onChoose={(value) =>
          set({
            commands: { ...commands, cl_draw_only_deathnotices: value },
            ...(value === '0' && { aspect: '16:9' }),
          })
        }
      >
        {[
          ['1', 'Killfeed only', <Feed key="1" />],
          ['0', 'Full HUD', <Everything key="0" />],
        ]}
      </Choice>
      <Choice
        name="thumbnail"
        legend="Thumbnail"
        value={options.thumbnail_style}
        onChoose={(thumbnail_style) => set({ thumbnail_style })}
      >
        {[
          ['full', 'Headline and killfeed', <Headline key="full" />],
          ['killfeed', 'Killfeed', <Feed key="killfeed" />],
          ['none', 'Plain frame', null],
        ]}
      </Choice>
      <div class="row wide">
        {checkFor('hud_killfeed', "Killfeed with this player's kills only")}
        {checkFor('hud_damage_ticker', 'Damage numbers')}
        {check('Hide names: without HUD and X-ray, with the own killfeed', options.names === 'hide', () =>
          set({ names: options.names ? undefined : 'hide' }),
        )}
        {check('X-ray (players through walls)', hasXray, () =>
          set({ commands: { ...commands, spec_show_xray: hasXray ? '0' : '1' } }),
        )}
      </div>
    </details>
  );
}

interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly legend: string;
  readonly value: Value;
  onChoose(value: Value): void;
  /** Each with its label and the content of its picture. */
  readonly children: readonly (readonly [value: Value, label: string, picture: ComponentChildren])[];
}

/** Radio buttons with a picture each. */
function Choice<Value extends string>({ name, legend, value, onChoose, children }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      {children.map(([each, label, picture]) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChoose(each)} />
          <svg viewBox="0 0 96 54" aria-hidden="true">
            <rect class="frame" width="96" height="54" rx="4" />
            <path class="ground" d="M0 40 30 26l22 10 20-14 24 12v16a4 4 0 0 1-4 4H4a4 4 0 0 1-4-4z" />
            {picture}
          </svg>
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** An outline of the shape, in the picture of a wide one. */
const Shape = ({ aspect }: { readonly aspect: Aspect }) => {
  const { width, height } = sizeOf(720, aspect);
  const [across, down] = [(44 * width) / Math.max(width, height), (44 * height) / Math.max(width, height)];
  return <rect class="over" x={48 - across / 2} y={27 - down / 2} width={across} height={down} rx="3" />;
};
const Feed = () => <path class="over" d="M64 7h26M70 13h20M66 19h24" />;
const Everything = () => (
  <>
    <Feed />
    <path class="over" d="M40 6h16M6 46h16M74 46h16M6 8h12v10H6z" />
  </>
);
const Headline = () => (
  <>
    <Feed />
    <path class="over thick" d="M8 34h44M8 44h28" />
  </>
);
