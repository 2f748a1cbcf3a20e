import type { ComponentChildren, JSX } from 'preact';
import type { SubmitRequest } from '#client/index.ts';

/** The values of the form. */
export interface ClipOptions {
  readonly resolution: 1080 | 1440;
  readonly fps: number;
  readonly hud: '0' | '1';
  readonly thumbnail: 'full' | 'killfeed' | 'none';
  readonly xray: boolean;
  readonly ownKillfeed: boolean;
  readonly damage: boolean;
  /** Seconds before and after each kill; not used for highlights, which have their own. */
  readonly before: number;
  readonly after: number;
}

/** The service's defaults. */
export const DEFAULT_OPTIONS: ClipOptions = {
  ...{ resolution: 1080, fps: 30, hud: '1', thumbnail: 'full' },
  ...{ xray: false, ownKillfeed: false, damage: false, before: 3, after: 2 },
};

export function withOptions(request: SubmitRequest, options: ClipOptions): SubmitRequest {
  const { resolution, fps, hud, thumbnail, xray, ownKillfeed, damage, before, after } = options;
  return {
    ...request,
    ...(request.timeline === undefined ? { pre_kill_padding: before, post_kill_padding: after } : {}),
    ...{ resolution, fps, hud_killfeed: ownKillfeed, hud_damage_ticker: damage, thumbnail_style: thumbnail },
    commands: { spec_show_xray: xray ? '1' : '0', cl_draw_only_deathnotices: hud },
  };
}

interface Props {
  readonly options: ClipOptions;
  onChange(options: ClipOptions): void;
}

export function OptionsForm({ options, onChange }: Props): JSX.Element {
  const set = <Name extends keyof ClipOptions>(name: Name, value: ClipOptions[Name]) =>
    onChange({ ...options, [name]: value });
  const check = (name: 'xray' | 'ownKillfeed' | 'damage', label: string) => (
    <label>
      <input type="checkbox" checked={options[name]} onChange={() => set(name, !options[name])} /> {label}
    </label>
  );
  const seconds = (name: 'before' | 'after', label: string) => (
    <label>
      {label}
      <input
        type="number"
        min={0.5}
        max={5}
        step={0.5}
        value={options[name]}
        onInput={({ currentTarget }) => currentTarget.checkValidity() && set(name, currentTarget.valueAsNumber)}
      />
    </label>
  );
  return (
    <details class="options">
      <summary>
        {options.resolution}p · {options.fps} fps
      </summary>
      <div class="row wide">
        <label>
          Resolution
          <select
            value={options.resolution}
            onChange={({ currentTarget }) => set('resolution', currentTarget.value === '1440' ? 1440 : 1080)}
          >
            <option value={1080}>1080p</option>
            <option value={1440}>1440p</option>
          </select>
        </label>
        <label>
          Frame rate
          <select value={options.fps} onChange={({ currentTarget }) => set('fps', Number(currentTarget.value))}>
            {[30, 60, 120].map((fps) => (
              <option key={fps} value={fps}>
                {fps} fps
              </option>
            ))}
          </select>
        </label>
        {seconds('before', 'Seconds before a kill')}
        {seconds('after', 'Seconds after a kill')}
      </div>
      <Choice name="hud" legend="HUD" value={options.hud} onChoose={(hud) => set('hud', hud)}>
        {[
          ['1', 'Killfeed only', <Feed key="1" />],
          ['0', 'Full HUD', <Everything key="0" />],
        ]}
      </Choice>
      <Choice
        name="thumbnail"
        legend="Thumbnail"
        value={options.thumbnail}
        onChoose={(thumbnail) => set('thumbnail', thumbnail)}
      >
        {[
          ['full', 'Headline and killfeed', <Headline key="full" />],
          ['killfeed', 'Killfeed', <Feed key="killfeed" />],
          ['none', 'Plain frame', null],
        ]}
      </Choice>
      <div class="row wide">
        {check('ownKillfeed', "Killfeed with this player's kills only")}
        {check('damage', 'Damage numbers')}
        {check('xray', 'X-ray (players through walls)')}
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
