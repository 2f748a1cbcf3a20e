/** Returns the changelog's entry of a release, and what is missing before it. Throws if there is no entry at all. */
export function readiness({
  version,
  changelog,
  module,
}: {
  readonly version: string;
  readonly changelog: string;
  /** The path of the Go module. */
  readonly module: string;
}): { readonly entry: string; readonly missing: readonly string[] } {
  const sections = changelog.split(/^(?=## )/m);
  const sectionOf = (title: string) =>
    sections.find((section) => section.split('\n')[0]?.split(' ')[1] === title)?.trimEnd();
  const released = sectionOf(version);
  const entry = released ?? sectionOf('Unreleased');
  if (entry === undefined) throw new Error(`CHANGELOG.md has no entry "## ${version}" and none "## Unreleased".`);
  const missing = [
    ...(released === undefined ? [`CHANGELOG.md has no entry "## ${version}"`] : []),
    // Go downloads a module from its path.
    ...(module.startsWith('example.com/') ? [`packages/go/go.mod has the placeholder ${module} as its path`] : []),
  ];
  return { entry, missing };
}
