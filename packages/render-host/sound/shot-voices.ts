import { burst, layered, type Samples, tone } from './signal.ts';

/** The parts of a gunshot: the crack, the bang after it, the low thump, and the echo. */
interface ShotShape {
  /** 0 for a bullet that does not crack. */
  readonly crack: number;
  readonly bang: { readonly below: number; readonly decay: number };
  readonly thump: { readonly from: number; readonly to: number; readonly decay: number; readonly gain: number };
  readonly tail: { readonly below: number; readonly decay: number; readonly gain: number };
  /** Seconds after the shot at which the bolt, the slide or the pump sounds. */
  readonly action: readonly number[];
}

export const SHOTS = {
  pistol: {
    crack: 0.8,
    bang: { below: 2600, decay: 0.024 },
    thump: { from: 240, to: 95, decay: 0.035, gain: 0.8 },
    tail: { below: 1300, decay: 0.12, gain: 0.22 },
    action: [0.05],
  },
  heavyPistol: {
    crack: 1,
    bang: { below: 2100, decay: 0.04 },
    thump: { from: 190, to: 62, decay: 0.07, gain: 1 },
    tail: { below: 1200, decay: 0.22, gain: 0.3 },
    action: [0.06],
  },
  smg: {
    crack: 0.7,
    bang: { below: 3400, decay: 0.018 },
    thump: { from: 210, to: 105, decay: 0.026, gain: 0.7 },
    tail: { below: 1700, decay: 0.08, gain: 0.18 },
    action: [0.035],
  },
  rifle: {
    crack: 1,
    bang: { below: 2300, decay: 0.036 },
    thump: { from: 165, to: 58, decay: 0.06, gain: 1.05 },
    tail: { below: 1300, decay: 0.2, gain: 0.28 },
    action: [0.045],
  },
  sniper: {
    crack: 1.2,
    bang: { below: 1700, decay: 0.085 },
    thump: { from: 120, to: 38, decay: 0.15, gain: 1.3 },
    tail: { below: 950, decay: 0.5, gain: 0.42 },
    action: [0.58, 0.78],
  },
  shotgun: {
    crack: 0.5,
    bang: { below: 1400, decay: 0.07 },
    thump: { from: 130, to: 46, decay: 0.1, gain: 1.2 },
    tail: { below: 1000, decay: 0.3, gain: 0.34 },
    action: [0.42, 0.55],
  },
  machineGun: {
    crack: 0.9,
    bang: { below: 1900, decay: 0.04 },
    thump: { from: 150, to: 52, decay: 0.07, gain: 1.15 },
    tail: { below: 1200, decay: 0.2, gain: 0.26 },
    action: [0.05],
  },
  silenced: {
    crack: 0,
    bang: { below: 1500, decay: 0.03 },
    thump: { from: 150, to: 75, decay: 0.03, gain: 0.5 },
    tail: { below: 700, decay: 0.07, gain: 0.14 },
    action: [0.04],
  },
} as const satisfies Record<string, ShotShape>;

export type ShotVoice = keyof typeof SHOTS;

/** Makes one gunshot. Variants differ like shots of one weapon. */
export function makeShot(voice: ShotVoice, variant: number): Samples {
  const shape: ShotShape = SHOTS[voice];
  const seed = variant * 977 + voice.length * 131;
  const off = 1 + ((variant % 3) - 1) * 0.045;
  const { bang, thump, tail } = shape;
  const layers = [
    {
      samples: burst({ seconds: bang.decay * 7, above: 140, below: bang.below * off, decay: bang.decay }, seed + 1),
      gain: 1,
    },
    { samples: tone({ ...thump, from: thump.from * off, seconds: thump.decay * 6 }), gain: thump.gain },
    {
      samples: burst(
        { seconds: tail.decay * 6, above: 180, below: tail.below, decay: tail.decay, attack: 0.012 },
        seed + 2,
      ),
      gain: tail.gain,
    },
    ...shape.action.map((at, nth) => ({ samples: click(2600 + nth * 500, seed + 10 + nth), gain: 0.09, at })),
  ];
  if (shape.crack > 0) {
    const crack = burst({ seconds: 0.03, above: 2600, below: 9000, decay: 0.0045 }, seed);
    layers.push({ samples: crack, gain: shape.crack });
  }
  return layered(layers, 1.5);
}

/** Metal on metal. */
export function click(hertz: number, seed: number): Samples {
  return layered([
    { samples: burst({ seconds: 0.03, above: hertz * 0.6, below: hertz * 2.4, decay: 0.005 }, seed), gain: 1 },
    { samples: tone({ from: hertz, to: hertz, seconds: 0.04, decay: 0.007 }), gain: 0.4 },
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
