/** The seconds of each wait of the client, and whether it really waits. */
export const noted = { waits: [] as number[], isReal: false };

/** Replaces `sleep` of the client. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  noted.waits.push(ms / 1000);
  if (noted.isReal) await new Promise((resolve) => setTimeout(resolve, ms));
}
