import { runResolver } from '../../../packages/steam-resolver/run-resolver.ts';

// A resolver whose question Steam never answers. It prints what it was granted.
const { TICKREEL_URL: serviceUrl = '', TICKREEL_RESOLVER_TOKEN: token = '' } = process.env;
const resolve = (shareCode: string) => {
  process.stdout.write(`${shareCode}\n`);
  return new Promise<never>(() => {});
};
await runResolver({ serviceUrl, token }, { resolve, log: () => {}, stop: new AbortController().signal });
