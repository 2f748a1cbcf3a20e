import { describe, expect, it } from 'vitest';
import { readiness } from '../../tools/release/readiness.ts';

const PUBLIC = 'git.test/us/tickreel/packages/go';

describe('a release', () => {
  it('is ready with an entry of its version and a path for Go', () => {
    const changelog =
      '# Changelog\n\n## 1.10.0 - 2026-12-01\n\nLater.\n\n## 1.1.0 - 2026-11-01\n\n### Fixed\n\nThis.\n';
    const ready = readiness({ version: '1.1.0', changelog, module: PUBLIC });
    expect(ready).toEqual({ entry: '## 1.1.0 - 2026-11-01\n\n### Fixed\n\nThis.', missing: [] });
  });

  it('lacks an entry of its version while that is unreleased', () => {
    const { entry, missing } = readiness({ version: '1.1.0', changelog: '## Unreleased\n\nA.\n', module: PUBLIC });
    expect(entry).toBe('## Unreleased\n\nA.');
    expect(missing).toEqual(['CHANGELOG.md has no entry "## 1.1.0"']);
  });

  it('lacks a path for Go while that is the placeholder', () => {
    const release = { version: '1.1.0', changelog: '## 1.1.0\n', module: 'example.com/tickreel' };
    expect(readiness(release).missing).toEqual([expect.stringContaining('example.com/tickreel')]);
  });

  it('is none without any entry', () => {
    const release = { version: '1.1.0', changelog: '# Changelog\n', module: PUBLIC };
    expect(() => readiness(release)).toThrow('no entry "## 1.1.0"');
  });
});
