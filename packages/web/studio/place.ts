/** The open demo and its ticked moments, in the fragment of the address: a reload and a shared link restore them. */
export interface Place {
  readonly demoId: string | null;
  readonly ticks: readonly string[];
}

export function readPlace(): Place {
  const values = new URLSearchParams(location.hash.slice(1));
  return { demoId: values.get('demo'), ticks: values.get('ticks')?.split(',') ?? [] };
}

export function writePlace({ demoId, ticks }: Place): void {
  const chosen = ticks.length === 0 ? '' : `&ticks=${ticks.join(',')}`;
  history.replaceState(null, '', demoId === null ? location.pathname : `#demo=${demoId}${chosen}`);
}

/** Opens a demo without ticked moments, unless it is open. */
export function openPlace(demoId: string): void {
  if (readPlace().demoId !== demoId) writePlace({ demoId, ticks: [] });
}
