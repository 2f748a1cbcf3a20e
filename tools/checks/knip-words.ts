import type { Preprocessor } from 'knip';

/** Drops the words of operations from knip's report: `tools/openapi/described-operation.ts` reads them by file. */
const withoutWords: Preprocessor = (options) => {
  const { issues, counters } = options;
  for (const ofFile of Object.values(issues.exports)) {
    if (!ofFile.words) continue;
    delete ofFile.words;
    counters.exports--;
  }
  return options;
};
// biome-ignore lint/style/noDefaultExport: knip calls the default export
export default withoutWords;
