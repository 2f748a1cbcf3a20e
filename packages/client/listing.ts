/** A list that loads its pages as they are read: `for await (const job of tickreel.jobs.list())`. */
export interface Listing<Page, Item> extends AsyncIterable<Item> {
  /** Returns one page as the service answers it: the items and `next_cursor`. */
  page(): Promise<Page>;
}

type PageOf<Name extends string> = { readonly next_cursor: string | null } & Readonly<Record<Name, readonly unknown[]>>;

/** Creates a list whose pages have their items under `name`. `read` gets the cursor of each page but the first. */
export function createListing<Name extends string, Page extends PageOf<Name>>(
  read: (from: { readonly cursor?: string }) => Promise<Page>,
  name: Name,
): Listing<Page, Page[Name][number]> {
  return {
    page: () => read({}),
    async *[Symbol.asyncIterator]() {
      let cursor: string | null = null;
      do {
        const page: Page = await read(cursor === null ? {} : { cursor });
        yield* page[name];
        cursor = page.next_cursor;
      } while (cursor !== null);
    },
  };
}
