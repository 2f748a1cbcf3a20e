import { describe, expect, it } from 'vitest';
import { createMarkers, type Marker } from '#render-host/capture/cs2/game/game-console.ts';

const markers = createMarkers('ab12');
const ALL: readonly Marker[] = [
  ...(['ready', 'seeked', 'slipped', 'aimed', 'recording', 'recorded', 'clear'] as const).map((kind) => ({
    kind,
    take: '0a',
  })),
  { kind: 'tick', take: '12b', tick: 4096 },
];
const echoOf = (marker: Marker) => markers.commandFor(marker).replace(/^echo /, '');

describe('a marker', () => {
  it.each(ALL)('is parsed when the game echoes it: $kind', (marker) => {
    expect(markers.parse(echoOf(marker))).toEqual(marker);
    expect(markers.parse(`12:00:01 [Console] ${echoOf(marker)}  `)).toEqual(marker);
  });

  it.each(ALL)('is not taken from the line that repeats the command: $kind', (marker) => {
    expect(markers.parse(markers.commandFor(marker))).toBeNull();
    expect(markers.parse(`] ${markers.commandFor(marker)}`)).toBeNull();
  });

  it('of another session, of an unknown kind, or within other text is ignored', () => {
    const echo = echoOf({ kind: 'ready', take: '0' });
    for (const line of [echo.replace('ab12', 'ab13'), 'tickreel.ab12.lost.0a', `x${echo}`, `${echo} and more`, ''])
      expect(markers.parse(line)).toBeNull();
  });
});
