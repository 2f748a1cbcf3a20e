/**
 * Runs `work` one at a time. A call during a run makes it run once more, so that nothing that came up meanwhile waits
 * for another reason to look. The promise ends when no run is left; it never rejects as long as `work` does not.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;
  return () => {
    if (running) {
      again = true;
      return running;
    }
    running = (async () => {
      try {
        do {
          again = false;
          await work();
        } while (again);
      } finally {
        running = null;
      }
    })();
    return running;
  };
}
