import { kept } from '#scene/drawing/theme.ts';
import { type BurstShape, burst, createNoise, type Layer, layered, type Samples, tone } from './signal.ts';

/** The parts of a gunshot: the crack, the bang after it, the low thump, the echo, and the weapon's own noise. */
type ShotShape = readonly [
  /** 0 for a bullet that does not crack. */
  crack: number,
  bang: readonly [below: number, decay: number],
  thump: readonly [from: number, to: number, decay: number, gain: number],
  tail: readonly [below: number, decay: number, gain: number],
  /** Seconds after the shot at which the bolt, the slide or the pump sounds. */
  action: readonly number[],
];

const SHOTS = {
  pistol: [0.8, [2600, 0.024], [240, 95, 0.035, 0.8], [1300, 0.12, 0.22], [0.05]],
  heavyPistol: [1, [2100, 0.04], [190, 62, 0.07, 1], [1200, 0.22, 0.3], [0.06]],
  smg: [0.7, [3400, 0.018], [210, 105, 0.026, 0.7], [1700, 0.08, 0.18], [0.035]],
  rifle: [1, [2300, 0.036], [165, 58, 0.06, 1.05], [1300, 0.2, 0.28], [0.045]],
  sniper: [1.2, [1700, 0.085], [120, 38, 0.15, 1.3], [950, 0.5, 0.42], [0.58, 0.78]],
  shotgun: [0.5, [1400, 0.07], [130, 46, 0.1, 1.2], [1000, 0.3, 0.34], [0.42, 0.55]],
  machineGun: [0.9, [1900, 0.04], [150, 52, 0.07, 1.15], [1200, 0.2, 0.26], [0.05]],
  silenced: [0, [1500, 0.03], [150, 75, 0.03, 0.5], [700, 0.07, 0.14], [0.04]],
} as const satisfies Record<string, ShotShape>;

export type ShotVoice = keyof typeof SHOTS;

/** Makes one gunshot. Variants differ like shots of one weapon. */
function makeShot(voice: ShotVoice, variant: number): Samples {
  const [crack, bang, thump, tail, action]: ShotShape = SHOTS[voice];
  const [[bangBelow, bangDecay], [from, to, thumpDecay, thumpGain], [below, decay, tailGain]] = [bang, thump, tail];
  const seed = variant * 977 + voice.length * 131;
  const off = 1 + ((variant % 3) - 1) * 0.045;
  const layers = [
    noise({ seconds: bangDecay * 7, above: 140, below: bangBelow * off, decay: bangDecay }, seed + 1, 1),
    { samples: tone({ from: from * off, to, decay: thumpDecay, seconds: thumpDecay * 6 }), gain: thumpGain },
    noise({ seconds: decay * 6, above: 180, below, decay, attack: 0.012 }, seed + 2, tailGain),
    ...action.map((at, nth) => ({ samples: click(2600 + nth * 500, seed + 10 + nth), gain: 0.09, at })),
  ];
  if (crack > 0) layers.push(noise({ seconds: 0.03, above: 2600, below: 9000, decay: 0.0045 }, seed, crack));
  return layered(layers, 1.5);
}

/** Metal on metal. */
function click(hertz: number, seed: number): Samples {
  return layered([
    { samples: burst({ seconds: 0.03, above: hertz * 0.6, below: hertz * 2.4, decay: 0.005 }, seed), gain: 1 },
    { samples: tone({ from: hertz, seconds: 0.04, decay: 0.007 }), gain: 0.4 },
  ]);
}

const BY_WEAPON: readonly (readonly [RegExp, ShotVoice])[] = [
  [/silencer(?!_off)|mp5sd/, 'silenced'],
  [/^(awp|ssg08|scar20|g3sg1)$/, 'sniper'],
  [/^(deagle|revolver)$/, 'heavyPistol'],
  [/^(glock|hkp2000|usp_silencer_off|p250|fiveseven|tec9|cz75a|elite)$/, 'pistol'],
  [/^(mac10|mp9|mp7|ump45|p90|bizon)$/, 'smg'],
  [/^(nova|xm1014|sawedoff|mag7)$/, 'shotgun'],
  [/^(m249|negev)$/, 'machineGun'],
];

/** Returns the voice of a gun; a rifle's for an unknown one. */
export function shotVoiceOf(weapon: string): ShotVoice {
  return BY_WEAPON.find(([pattern]) => pattern.test(weapon))?.[1] ?? 'rifle';
}

/** The longest sound of a fire: no fire burns as long. */
export const LONGEST_VOICE_SECONDS = 10;

/** All sounds except gunshots. `variant` makes similar sounds differ a little, or by a step of the scale. */
const VOICES = {
  hit: (variant) =>
    layered([
      noise({ seconds: 0.09, above: 90, below: 900, decay: 0.018 }, 301 + variant, 1),
      { samples: tone({ from: 150, to: 80, seconds: 0.1, decay: 0.025 }), gain: 0.8 },
    ]),
  headshot: (variant) => bell([1840, 2790, 4310, 5930], 0.11, 0.4, 320 + variant),
  /** The note rises with each kill of a round. The fifth returns to the key. */
  kill: (variant) => signature(variant),
  death: () =>
    layered([
      { samples: tone({ from: 330, to: 110, seconds: 0.7, decay: 0.22, attack: 0.004 }), gain: 1 },
      { samples: tone({ from: 220, to: 73, seconds: 0.7, decay: 0.26, attack: 0.004 }), gain: 0.7 },
    ]),
  knife: (variant) =>
    layered([
      noise({ seconds: 0.22, above: 1400, below: 6000, decay: 0.05, attack: 0.06 }, 340 + variant, 1),
      { samples: click(4200, 345 + variant), gain: 0.25, at: 0.07 },
    ]),
  taser: () => layered(crackle(0.32, 90, 350), 1.4),
  throw: (variant) =>
    layered([
      { samples: click(3300, 355), gain: 0.5 },
      noise({ seconds: 0.25, above: 400, below: 2200, decay: 0.06, attack: 0.09 }, 356 + variant, 0.8, 0.05),
    ]),
  flash: () =>
    layered(
      [
        noise({ seconds: 0.06, above: 3000, below: 9000, decay: 0.012 }, 360, 1.2),
        noise({ seconds: 0.6, above: 200, below: 9000, sinksTo: 900, decay: 0.08 }, 361, 1),
        { samples: tone({ from: 210, to: 70, seconds: 0.3, decay: 0.06 }), gain: 0.7 },
        { samples: bell([3150, 4370, 5240], 0.35, 1.8, 362), gain: 0.12 },
      ],
      1.4,
    ),
  /** Tinnitus after a flash. */
  ringing: () =>
    layered([{ samples: tone({ from: 5200, to: 5050, seconds: 2.4, decay: 0.8, attack: 0.05 }), gain: 1 }]),
  explosion: () =>
    layered(
      [
        noise({ seconds: 0.1, above: 900, below: 9000, decay: 0.02 }, 370, 0.9),
        noise({ seconds: 0.9, above: 60, below: 6000, sinksTo: 300, decay: 0.14 }, 371, 1),
        noise({ seconds: 2.4, above: 30, below: 1400, sinksTo: 110, decay: 0.5 }, 372, 0.35),
        { samples: tone({ from: 105, to: 32, seconds: 1.8, decay: 0.22 }), gain: 1.3 },
        ...crackle(1.5, 30, 373, 0.06),
      ],
      1.8,
    ),
  smoke: () =>
    layered([
      noise({ seconds: 0.15, above: 150, below: 1600, decay: 0.03 }, 380, 0.8),
      noise({ seconds: 4.5, above: 200, below: 9000, sinksTo: 350, decay: 1.3, attack: 0.15, flutter: 11 }, 381, 0.6),
    ]),
  /** A whoosh, then flames that flicker and sink, with sparks, as long as a fire can burn. Only 0 has the whoosh. */
  fire: (nth) =>
    layered([
      noise({ seconds: 1.6, above: 120, below: 6000, sinksTo: 400, decay: 0.35, attack: 0.1 }, 390, nth ? 0 : 1),
      noise({ seconds: 8, above: 45, below: 900, sinksTo: 260, decay: 7, attack: 0.8, flutter: 7 }, 391 + nth, 0.7),
      noise({ seconds: 8, above: 400, below: 2600, sinksTo: 700, decay: 5, attack: 0.8, flutter: 13 }, 392 + nth, 0.25),
      ...crackle(8, 14, 393 + nth, 0.6),
    ]),
  /** Dull pops, unlike any weapon, and a fuse. */
  decoy: () =>
    layered([
      { samples: click(900, 395), gain: 0.7 },
      ...[0.12, 0.24, 0.31, 0.95, 1.06, 1.7, 2.3].map((at, nth) => ({
        samples: burst({ seconds: 0.25, above: 150, below: 5000, sinksTo: 500, decay: 0.035 }, 600 + nth),
        gain: 1 - nth * 0.1,
        at,
      })),
      noise({ seconds: 3, above: 1500, below: 8000, sinksTo: 1800, decay: 0.8, flutter: 15 }, 396, 0.2),
    ]),
  step: (variant) =>
    layered([
      noise({ seconds: 0.09, above: 70, below: 480 + variant * 70, decay: 0.02 }, 400 + variant, 1),
      noise({ seconds: 0.05, above: 1200, below: 4000, decay: 0.008 }, 410 + variant, 0.16, 0.012),
      noise({ seconds: 0.3, above: 90, below: 1500, sinksTo: 200, decay: 0.06 }, 415 + variant, 0.16),
    ]),
  reload: () =>
    layered([
      { samples: click(1900, 420), gain: 0.7 },
      { samples: click(1200, 421), gain: 1, at: 0.75 },
      { samples: click(2500, 422), gain: 0.8, at: 1.25 },
      { samples: click(2100, 423), gain: 0.6, at: 1.36 },
    ]),
  beep: () => layered([{ samples: tone({ from: 2400, seconds: 0.11, decay: 0.05, attack: 0.003 }), gain: 1 }]),
  /** Seven keys of the bomb. */
  planting: () =>
    layered(
      [0.35, 0.75, 1.1, 1.5, 1.85, 2.25, 2.65].map((at, nth) => {
        const hertz = [1210, 1340, 1480][nth % 3] ?? 1210;
        return { samples: tone({ from: hertz, seconds: 0.09, decay: 0.035, attack: 0.002 }), gain: 1, at };
      }),
    ),
  planted: () =>
    layered([
      { samples: click(1400, 430), gain: 0.6 },
      { samples: tone({ from: 900, seconds: 0.2, decay: 0.08 }), gain: 0.7, at: 0.04 },
      { samples: tone({ from: 1800, seconds: 0.3, decay: 0.12 }), gain: 0.7, at: 0.16 },
    ]),
  defusing: () =>
    layered(
      [0, 0.16, 0.3, 0.62, 0.78].map((at, nth) => ({ samples: click(2900 - nth * 260, 440 + nth), gain: 1, at })),
    ),
  defused: () => chord([659.3, 830.6, 987.8], 0.07, 0.4),
  bombExplosion: () =>
    layered(
      [
        noise({ seconds: 0.12, above: 700, below: 9000, decay: 0.03 }, 450, 0.8),
        noise({ seconds: 3.2, above: 28, below: 800, decay: 0.75 }, 451, 1),
        { samples: tone({ from: 70, to: 24, seconds: 2.4, decay: 0.7 }), gain: 1.5 },
      ],
      2,
    ),
  roundWon: () => chord([440, 554.4, 659.3, 880], 0.09, 0.7),
  roundLost: () => chord([440, 349.2, 293.7], 0.12, 0.6),
} satisfies Record<string, (variant: number) => Samples>;

export type Voice = keyof typeof VOICES | ShotVoice;

const made = new Map<string, Samples>();

/** Returns the samples of a voice, mono. They are made once a process and must not be changed. */
export function voiceSamples(voice: Voice, variant: number): Samples {
  const make = () => (isShot(voice) ? makeShot(voice, variant) : VOICES[voice](variant));
  return kept(made, `${voice} ${variant}`, make);
}

function isShot(voice: Voice): voice is ShotVoice {
  return voice in SHOTS;
}

function noise(shape: BurstShape, seed: number, gain: number, at = 0): Layer {
  return { samples: burst(shape, seed), gain, at };
}

/** Makes struck metal: partials without harmony. */
function bell(partials: readonly number[], decay: number, seconds: number, seed: number): Samples {
  return layered([
    ...partials.map((hertz, nth) => ({
      samples: tone({ from: hertz, seconds, decay: decay / (1 + nth * 0.5) }),
      gain: 1 / (1 + nth * 0.7),
    })),
    noise({ seconds: 0.02, above: 3000, below: 12_000, decay: 0.003 }, seed, 0.7),
  ]);
}

const SIGNATURE = [523.3, 587.3, 659.3, 784, 1046.5];

function signature(variant: number): Samples {
  const root = SIGNATURE[Math.min(variant, SIGNATURE.length - 1)] ?? 523.3;
  const note = (hertz: number, at: number, gain: number): Layer[] => [
    { samples: tone({ from: hertz, seconds: 0.8, decay: 0.2, attack: 0.004 }), gain, at },
    { samples: tone({ from: hertz * 2, seconds: 0.5, decay: 0.1, attack: 0.003 }), gain: gain * 0.3, at },
  ];
  return layered([...note(root, 0, 0.8), ...note(root * 1.5, 0.085, 1)]);
}

function chord(notes: readonly number[], apart: number, decay: number): Samples {
  return layered(
    notes.flatMap((hertz, nth) =>
      [1, 2].map((octave) => ({
        samples: tone({ from: hertz * octave, seconds: decay * 3, decay: decay / octave, attack: 0.008 }),
        gain: 0.5 / octave,
        at: nth * apart,
      })),
    ),
  );
}

/** Makes sparks, `rate` a second: more at first, few of them loud, of different pitch. */
function crackle(seconds: number, rate: number, seed: number, gain = 1): Layer[] {
  const random = createNoise(seed);
  return Array.from({ length: Math.round(seconds * rate) }, (_, nth) => {
    const above = 700 * 2 ** (1.5 + 1.5 * random());
    const samples = burst({ seconds: 0.02, above, below: above * 3, decay: 0.003 }, seed + nth + 1);
    return { samples, gain: gain * (0.12 + random() ** 4), at: ((random() + 1) / 2) ** 1.4 * seconds };
  });
}
