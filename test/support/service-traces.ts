/** Replaces the name that the runtime gives the bundle by its path, so that reports find its map. */
const format = Error.prepareStackTrace;
if (format) {
  Error.prepareStackTrace = (error, sites) =>
    String(format(error, sites)).replaceAll(/([^\s()]+\.mjs)\?mf_vitest_force=ESModule/g, '/$1');
}
