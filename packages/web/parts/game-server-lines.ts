/** Returns the configuration with which MatchZy sends its demos to this service. */
export function gameServerLines(key: string): string {
  const lines = { url: `${location.origin}/api/ingest`, header_key: 'X-Api-Key', header_value: key };
  return Object.entries(lines)
    .map(([name, value]) => `matchzy_demo_upload_${name} "${value}"`)
    .join('\n');
}
