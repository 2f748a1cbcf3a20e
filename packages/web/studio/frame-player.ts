/** A player in a frame of this page, which is controlled by the player.js protocol. */
export interface FramePlayer {
  call(method: string, value?: unknown): void;
  close(): void;
}

/** Controls the player of a frame. Keeps calls until it is ready. */
export function createFramePlayer(frame: HTMLIFrameElement): FramePlayer {
  const closed = new AbortController();
  let early: string[] | null = [];
  const send = (message: string) => frame.contentWindow?.postMessage(message, location.origin);
  addEventListener(
    'message',
    ({ source, data }) => {
      if (source !== frame.contentWindow || JSON.parse(String(data)).event !== 'ready') return;
      for (const message of early ?? []) send(message);
      early = null;
    },
    { signal: closed.signal },
  );
  return {
    call(method, value) {
      const message = JSON.stringify({ context: 'player.js', method, value });
      if (early) early.push(message);
      else send(message);
    },
    close: () => closed.abort(),
  };
}
