import { expect, it } from 'vitest';
import { fillTriangle } from '#scene/map/footprint.ts';

/** Returns the cells of an 8 by 6 grid that a triangle touches, row by row. */
function filled(...corners: readonly (readonly [x: number, y: number])[]): string[] {
  const rows = Array.from({ length: 6 }, () => Array.from('........'));
  const places = corners.map(([x, y]) => ({ x, y }));
  fillTriangle(places, 8, 6, (column, row) => {
    const cells = rows[row];
    if (cells !== undefined) cells[column] = '#';
  });
  return rows.map((cells) => cells.join(''));
}

const EMPTY = '........';

it('a triangle fills the cells that it touches', () => {
  expect(filled([0, 0], [7, 0], [0, 5])).toEqual([
    '########',
    '#######.',
    '######..',
    '#####...',
    '###.....',
    '##......',
  ]);
});

it('a line leaves no gap, however flat or steep', () => {
  expect(filled([0, 1], [7, 2], [7, 2])).toEqual([EMPTY, '#####...', '....####', EMPTY, EMPTY, EMPTY]);
  expect(filled([3, 0], [3, 5], [3, 5])).toEqual(Array.from({ length: 6 }, () => '...#....'));
  expect(filled([2, 3], [6, 3], [6, 3])).toEqual([EMPTY, EMPTY, EMPTY, '..#####.', EMPTY, EMPTY]);
});

it('cells outside of the grid are left out', () => {
  expect(filled([-20, 2], [20, 2], [20, 2])).toEqual([EMPTY, EMPTY, '########', EMPTY, EMPTY, EMPTY]);
  expect(filled([20, 20], [30, 20], [20, 30])).toEqual(Array.from({ length: 6 }, () => EMPTY));
});
