/** A request to the stand-in for Discord (discord.ts). */
export interface DiscordRequest {
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
    /** Returns the posts in the channel. */
    async posts(): Promise<DiscordRequest[]> {
      return (await this.requests()).filter(({ status }) => status === 200 || status === 204);
    },
  };
}
