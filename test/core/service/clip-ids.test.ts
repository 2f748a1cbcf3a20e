import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClipIds } from '#service/lib/clip-ids.ts';

const ids = createClipIds('a-secret-of-one-deployment-0123456789');
const others = createClipIds('a-secret-of-another-one-0123456789');
const uuid = fc.uuid({ version: [4, 8] });

describe('the id of a clip', () => {
  it('is derived only with the secret, not from another job’s pair', async () => {
    await fc.assert(
      fc.asyncProperty(uuid, uuid, async (one, two) => {
        fc.pre(one !== two);
        const [first, second] = [await ids.clipIdOf(one), await ids.clipIdOf(two)];
        expect(first).not.toBe(await others.clipIdOf(one));
        expect(distance(one, first)).not.toBe(distance(two, second));
      }),
    );
  });

  it('stays what it is from one version to the next: clips are found under it', async () => {
    expect(await ids.clipIdOf('00112233-4455-4677-8899-aabbccddeeff')).toBe('4d52eae1-5d6d-46a3-813c-5d530dde8e9e');
  });
});

/** Returns the XOR of two ids. */
function distance(a: string, b: string): string {
  const digits = [...a.replaceAll('-', '')].map(
    (digit, i) => Number.parseInt(digit, 16) ^ Number.parseInt(b.replaceAll('-', '').charAt(i), 16),
  );
  return digits.join();
}
