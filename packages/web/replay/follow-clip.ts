/** Milliseconds between two looks for the clip. Shared caches keep pages for ten seconds. */
const WAIT_MS = 10_000;

/**
 * Loads this page again and again, while somebody looks at it, until the clip's video is in it. An unchanged page is
 * answered with 304. Resolves to the video's part of the page; to null if the replay is gone, because the job
 * failed or the clip was deleted.
 */
export async function followClip(): Promise<Element | null> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    if (document.hidden) continue;
    const response = await fetch(location.pathname, { headers: { Accept: 'text/html' } }).catch(() => null);
    if (response?.status === 404 || response?.status === 410) return null;
    if (!response?.ok) continue;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const film = page.querySelector('[data-film]');
    if (film?.firstElementChild) return film;
  }
}
