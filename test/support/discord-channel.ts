/** A request to the stand-in for Discord (discord.ts). */
export interface DiscordRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly status: number | null;
  /** The JSON of the message; null if it could not be read. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages.
  readonly message: any;
  readonly files: readonly PostedFile[];
}
export interface PostedFile {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A message in the channel. */
export interface ShownMessage {
  readonly id: string;
  readonly content: string;
  readonly embeds: readonly { readonly url: string }[];
  readonly files: readonly PostedFile[];
  readonly thread: string | null;
}

/** A webhook of a stand-in, and what tests do with it. */
export async function createChannel(origin: string) {
  const made = await fetch(`${origin}/stand-in`, { method: 'POST' });
  const { id, token, url } = (await made.json()) as Record<'id' | 'token' | 'url', string>;
  const own = `${origin}/stand-in/${id}`;
  return {
    id,
    token,
    url,
    async answerWith(answers: string): Promise<void> {
      await fetch(`${own}?answers=${answers}`, { method: 'POST' });
    },
    async remove(): Promise<void> {
      await fetch(own, { method: 'DELETE' });
    },
    /** Returns all requests to it, with those that were refused. */
    async requests(): Promise<DiscordRequest[]> {
      return (await fetch(own)).json() as Promise<DiscordRequest[]>;
    },
    /** Returns what was posted in the channel. */
    async posts(): Promise<DiscordRequest[]> {
      const isPost = ({ method, status }: DiscordRequest) => method === 'POST' && (status === 200 || status === 204);
      return (await this.requests()).filter(isPost);
    },
    /** Returns the messages that are in the channel now. */
    async shown(): Promise<ShownMessage[]> {
      return (await fetch(`${own}?shown=1`)).json() as Promise<ShownMessage[]>;
    },
  };
}
