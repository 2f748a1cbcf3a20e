import type { Playable } from './keys.ts';

const TOAST_MS = 2500;

/** Copies a text. Pages without HTTPS have no clipboard API, so there it copies a selection. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

/** Formats seconds: `83.26` is `1:23`. */
export function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

/**
 * Makes the buttons of a page copy their texts. Adds the query of `queryAt` to a link: by default the time, for the
 * link at this time.
 */
export function bindCopies(
  media: Playable | null,
  queryAt = (seconds: number | null): Record<string, number> => (seconds ? { t: seconds } : {}),
): void {
  const toast = document.querySelector<HTMLElement>('[role=status].toast');
  let hideToast = 0;
  const showToast = (text: string): void => {
    if (!toast) return;
    toast.textContent = text;
    toast.classList.add('shown');
    clearTimeout(hideToast);
    hideToast = setTimeout(() => toast.classList.remove('shown'), TOAST_MS);
  };
  const seconds = (): number => Math.round((media?.currentTime ?? 0) * 10) / 10;

  for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) {
    const at = button.querySelector('time');
    media?.addEventListener('timeupdate', () => {
      if (at) at.textContent = clock(seconds());
    });
    button.addEventListener('click', () => {
      const text = button.dataset.copy ?? '';
      const query = new URLSearchParams(Object.entries(queryAt(at && seconds())).map(([name, of]) => [name, `${of}`]));
      copy(text.startsWith('<') || query.size === 0 ? text : `${text}?${query}`).then(
        () => showToast(at ? `Copied the link at ${clock(seconds())}` : (button.dataset.done ?? '')),
        () => showToast('Your browser did not allow copying'),
      );
    });
  }
}

/** Makes the page's button open the list of keys. Returns what opens it. */
export function bindHelp(): () => void {
  const help = document.querySelector('dialog');
  const open = () => help?.showModal();
  document.querySelector('[data-help]')?.addEventListener('click', open);
  help?.addEventListener('click', (event) => {
    if (event.target === help || (event.target as HTMLElement).closest('button')) help.close();
  });
  help?.addEventListener('keydown', (event) => event.key === '?' && help.close());
  return open;
}
