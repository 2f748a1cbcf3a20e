import { expect, test } from 'vitest';
import { clamp, easeOut, lerp, pulse, smoothstep } from '#scene/drawing/theme.ts';

test('a clamped value stays within its bounds', () => {
  expect([-1, 0.25, 9].map((value) => clamp(value, 0, 1))).toEqual([0, 0.25, 1]);
});

test('a value between two ends goes evenly from one to the other, and on', () => {
  expect([0, 0.25, 1, 2].map((t) => lerp(10, 20, t))).toEqual([10, 12.5, 20, 30]);
});

test('a smooth step is level at both ends, in the middle half way, and runs backwards too', () => {
  expect([1, 2, 3, 4, 5].map((value) => smoothstep(2, 4, value))).toEqual([0, 0, 0.5, 1, 1]);
  expect([1, 2, 3, 4, 5].map((value) => smoothstep(4, 2, value))).toEqual([1, 1, 0.5, 0, 0]);
  expect(smoothstep(0, 1, 0.25)).toBeCloseTo(0.15625, 10);
});

test('an eased value starts fast and ends at one', () => {
  expect([-1, 0, 0.5, 1, 2].map(easeOut)).toEqual([0, 0, 0.875, 1, 1]);
});

test('a pulse rises, stays and falls within its length', () => {
  const at = [-0.1, 0, 0.5, 1, 5, 8, 9, 10, 10.1];
  expect(at.map((value) => pulse(value, 10, 1, 2))).toEqual([0, 0, 0.5, 1, 1, 1, 0.5, 0, 0]);
});
