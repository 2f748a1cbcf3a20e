/** A list that loads its pages as they are read: `for await (const job of tickreel.jobs.list())`. */
export interface Listing<Page, Item> extends AsyncIterable<Item> {
  /** Returns one page as the service answers it: the items and `next_cursor`. */
  page(): Promise<Page>;
}

interface AnyPage {
  readonly next_cursor: string | null;
}

export function createListing<Page extends AnyPage, Item>(
  read: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): Listing<Page, Item> {
  return {
    page: () => read(undefined),
    async *[Symbol.asyncIterator]() {
      let cursor: string | undefined;
      do {
        const page = await read(cursor);
        yield* itemsOf(page);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
    },
  };
}
