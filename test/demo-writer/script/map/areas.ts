/** A rectangle of floor in game units. Players can walk between overlapping ones. */
export interface Area {
  readonly name: AreaName;
  /** The game's name of the place. */
  readonly place: string;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly height: number;
}

type Rect = readonly [west: number, south: number, east: number, north: number, height: number, place: string];

/**
 * The floor of the sample map, like de_mirage's plan: terrorists in the east, counter-terrorists in the south-west,
 * site A in the south, site B in the north-west, mid in between. Each site is four rectangles around a stack of crates.
 */
const RECTS = {
  tSpawn: [960, -520, 1450, 260, -150, 'TSpawn'],
  tRoad: [560, -330, 1040, -60, -160, 'TopofMid'],
  topMid: [60, -880, 640, -120, -170, 'TopofMid'],
  topMidAlley: [240, -180, 420, 300, -150, 'SideAlley'],
  mid: [-1070, -770, 120, -440, -250, 'Middle'],
  windowRoom: [-1360, -790, -1040, -480, -170, 'SnipersNest'],
  windowHall: [-1620, -700, -1310, -520, -165, 'Shop'],
  connector: [-820, -1460, -590, -730, -190, 'Connector'],
  jungle: [-1300, -1580, -540, -1320, -170, 'Jungle'],
  stairs: [-740, -1740, -500, -1500, -180, 'Stairs'],
  aNorth: [-780, -1880, 160, -1620, -180, 'BombsiteA'],
  aSouth: [-780, -2400, 160, -2140, -180, 'BombsiteA'],
  aWest: [-780, -2400, -440, -1620, -180, 'BombsiteA'],
  aEast: [-180, -2400, 160, -1620, -180, 'BombsiteA'],
  aRamp: [100, -1780, 820, -1500, -170, 'TRamp'],
  rampTop: [760, -1660, 1320, -1300, -140, 'TRamp'],
  tRamp: [1060, -1360, 1310, -460, -145, 'TRamp'],
  palaceAlley: [1100, -2440, 1320, -1600, -60, 'PalaceAlley'],
  palace: [260, -2640, 1320, -2400, -40, 'PalaceInterior'],
  palaceDoor: [80, -2640, 320, -2300, -100, 'PalaceInterior'],
  ctSpawn: [-1940, -2320, -1180, -1700, -230, 'CTSpawn'],
  ticket: [-1240, -2200, -720, -1880, -200, 'Ticket'],
  ctToJungle: [-1320, -1780, -1060, -1520, -200, 'Jungle'],
  ctStreet: [-1930, -1760, -1680, -700, -200, 'Truck'],
  market: [-2300, -780, -1560, -380, -160, 'Shop'],
  marketDoor: [-2140, -440, -1920, 0, -150, 'Shop'],
  bSouth: [-2500, -60, -1640, 180, -150, 'BombsiteB'],
  bNorth: [-2500, 420, -1640, 680, -150, 'BombsiteB'],
  bWest: [-2500, -60, -2190, 680, -150, 'BombsiteB'],
  bEast: [-1960, -60, -1640, 680, -150, 'BombsiteB'],
  catwalk: [-1720, -260, -620, -20, -150, 'Catwalk'],
  catwalkDrop: [-860, -500, -620, -20, -190, 'Catwalk'],
  underpass: [-440, -500, -240, 460, -320, 'Underpass'],
  apartments: [-1560, 400, 280, 660, -80, 'Apartments'],
  bDoor: [-1720, 420, -1480, 780, -90, 'Apartments'],
  tAlley: [180, 200, 1180, 500, -130, 'BackAlley'],
} as const satisfies Record<string, Rect>;

export type AreaName = keyof typeof RECTS;

export const AREAS: readonly Area[] = (Object.entries(RECTS) as [AreaName, Rect][]).map(
  ([name, [west, south, east, north, height, place]]) => ({ name, place, west, south, east, north, height }),
);

/** The areas of site A (0) and B (1). */
export const SITES = [
  ['aNorth', 'aWest', 'aEast', 'aSouth'],
  ['bSouth', 'bEast', 'bNorth', 'bWest'],
] as const satisfies readonly (readonly AreaName[])[];

export type SiteIndex = 0 | 1;

/** The ways of terrorists to each site: where to gather, nearest to the site last. */
export const ATTACK_PATHS: Readonly<Record<SiteIndex, readonly (readonly [AreaName, ...AreaName[]])[]>> = {
  0: [
    ['tRamp', 'rampTop', 'aRamp'],
    ['tRamp', 'rampTop'],
    ['palaceAlley', 'palace'],
    ['palace', 'palaceDoor'],
    ['topMid', 'mid', 'connector'],
  ],
  1: [
    ['tAlley', 'apartments'],
    ['tAlley', 'apartments', 'bDoor'],
    ['topMidAlley', 'apartments'],
    ['topMid', 'mid', 'catwalkDrop'],
    ['topMid', 'underpass', 'apartments'],
  ],
};

/** Where counter-terrorists wait, and the site of each post. */
export const DEFENCE_POSTS: readonly {
  readonly site: SiteIndex;
  readonly areas: readonly [AreaName, ...AreaName[]];
}[] = [
  { site: 0, areas: ['aWest', 'ticket', 'aSouth'] },
  { site: 0, areas: ['stairs', 'aNorth', 'jungle'] },
  { site: 0, areas: ['windowRoom', 'connector', 'jungle'] },
  { site: 1, areas: ['bEast', 'bSouth', 'catwalk'] },
  { site: 1, areas: ['bWest', 'market', 'bNorth'] },
];

export const SPAWN_AREA = { T: 'tSpawn', CT: 'ctSpawn' } as const;
