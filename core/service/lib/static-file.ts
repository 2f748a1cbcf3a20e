import { TransientError } from '#http/to-problem.ts';
/** Returns a file of src/static. Rejects if it cannot be read. */
export type StaticFile = (name: string, headers?: HeadersInit) => Promise<Response>;

export const staticFileOf =
  ({ STATIC }: { readonly STATIC: Fetcher }): StaticFile =>
  async (name, headers = {}) => {
    const file = await STATIC.fetch(`https://static/${name}`, { headers });
    if (file.status >= 400) throw new TransientError(`the file ${name} cannot be read: ${file.status}`);
    return file;
  };
