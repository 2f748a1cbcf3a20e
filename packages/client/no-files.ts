/** Replaces `save-body.ts` in browsers and Workers, which have no files. */
export async function saveBody(_response: Response, _path: string): Promise<void> {
  throw new TypeError('There are no files here: use clips.download.');
}
