import type { ComponentChildren, JSX } from 'preact';
import type { SubmitRequest } from '#client/index.ts';

/** The service's defaults. */
export const DEFAULT_OPTIONS = {
  ...{ resolution: 1080, fps: 30, thumbnail_style: 'full', hud_killfeed: false, hud_damage_ticker: false },
  ...{ pre_kill_padding: 3, post_kill_padding: 2 },
  commands: { spec_show_xray: '0', cl_draw_only_deathnotices: '1' },
} as const satisfies Partial<SubmitRequest>;

/** The values of the form, as fields of a request. */
export type ClipOptions = { readonly [Name in keyof typeof DEFAULT_OPTIONS]: NonNullable<SubmitRequest[Name]> };

/** Adds the options to a request. The clip of a timeline has its own length. */
export function withOptions(request: SubmitRequest, options: ClipOptions): SubmitRequest {
  if (request.timeline === undefined) return { ...request, ...options };
  const { pre_kill_padding: _, post_kill_padding: __, ...rest } = options;
  return { ...request, ...rest };
}

interface Props {
  readonly options: ClipOptions;
  onChange(options: ClipOptions): void;
}

export function OptionsForm({ options, onChange }: Props): JSX.Element {
  const set = <Name extends keyof ClipOptions>(name: Name, value: ClipOptions[Name]) =>
    onChange({ ...options, [name]: value });
  const { commands } = options;
  const hasXray = commands.spec_show_xray === '1';
  const check = (label: string, checked: boolean, onChange: () => void) => (
    <label>
      <input type="checkbox" checked={checked} onChange={onChange} /> {label}
    </label>
  );
  const checkFor = (name: 'hud_killfeed' | 'hud_damage_ticker', label: string) =>
    check(label, options[name], () => set(name, !options[name]));
  const seconds = (name: 'pre_kill_padding' | 'post_kill_padding', label: string) => (
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
        {seconds('pre_kill_padding', 'Seconds before a kill')}
        {seconds('post_kill_padding', 'Seconds after a kill')}
      </div>
      <Choice
        name="hud"
        legend="HUD"
        value={commands.cl_draw_only_deathnotices ?? '1'}
        onChoose={(value) => set('commands', { ...commands, cl_draw_only_deathnotices: value })}
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
        onChoose={(style) => set('thumbnail_style', style)}
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
        {check('X-ray (players through walls)', hasXray, () =>
          set('commands', { ...commands, spec_show_xray: hasXray ? '0' : '1' }),
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
