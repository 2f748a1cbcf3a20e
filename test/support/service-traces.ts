/** The runtime has a name of its own for the bundle; under its path, a report finds its map and shows the source. */
const format = Error.prepareStackTrace;
if (format) {
  Error.prepareStackTrace = (error, sites) =>
    String(format(error, sites)).replaceAll(/([^\s()]+\.mjs)\?mf_vitest_force=ESModule/g, '/$1');
}
