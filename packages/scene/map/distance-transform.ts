/**
 * Computes the exact Euclidean distance, in cells, from each cell of a grid to the nearest set cell, and which cell
 * that is. Felzenszwalb and Huttenlocher, "Distance Transforms of Sampled Functions" (2012): one pass over columns, one
 * over rows.
 */
export function distanceTransform(
  isSet: Uint8Array,
  width: number,
  height: number,
): { readonly distance: Float32Array; readonly nearest: Int32Array } {
  const far = 1e12;
  const squared = new Float64Array(width * height);
  const nearest = new Int32Array(width * height);
  const length = Math.max(width, height);
  const work = {
    value: new Float64Array(length),
    from: new Int32Array(length),
    parabola: new Int32Array(length),
    border: new Float64Array(length + 1),
  };
  for (let i = 0; i < squared.length; i++) {
    squared[i] = isSet[i] === 1 ? 0 : far;
    nearest[i] = i;
  }
  // Without a set cell, all are equally far.
  if (isSet.includes(1)) {
    for (let x = 0; x < width; x++) transformLine(squared, nearest, x, width, height, work);
    for (let y = 0; y < height; y++) transformLine(squared, nearest, y * width, 1, width, work);
  }
  const distance = new Float32Array(squared.length);
  for (let i = 0; i < distance.length; i++) distance[i] = Math.sqrt(squared[i] ?? 0);
  return { distance, nearest };
}

interface Work {
  readonly value: Float64Array;
  readonly from: Int32Array;
  readonly parabola: Int32Array;
  readonly border: Float64Array;
}

/** Computes the lower envelope of the parabolas of one line, and writes it back into the line. */
function transformLine(
  squared: Float64Array,
  nearest: Int32Array,
  start: number,
  stride: number,
  count: number,
  { value, from, parabola, border }: Work,
): void {
  for (let i = 0; i < count; i++) {
    value[i] = squared[start + i * stride] ?? 0;
    from[i] = nearest[start + i * stride] ?? 0;
  }
  let k = 0;
  parabola[0] = 0;
  border[0] = -Infinity;
  border[1] = Infinity;
  for (let q = 1; q < count; q++) {
    let meet = intersection(value, q, parabola[k] ?? 0);
    while (meet <= (border[k] ?? 0)) {
      k--;
      meet = intersection(value, q, parabola[k] ?? 0);
    }
    k++;
    parabola[k] = q;
    border[k] = meet;
    border[k + 1] = Infinity;
  }
  k = 0;
  for (let q = 0; q < count; q++) {
    while ((border[k + 1] ?? 0) < q) k++;
    const p = parabola[k] ?? 0;
    squared[start + q * stride] = (q - p) * (q - p) + (value[p] ?? 0);
    nearest[start + q * stride] = from[p] ?? 0;
  }
}

function intersection(value: Float64Array, q: number, p: number): number {
  return ((value[q] ?? 0) + q * q - ((value[p] ?? 0) + p * p)) / (2 * q - 2 * p);
}
