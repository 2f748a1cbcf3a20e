const RETRY_MS = 5000;

/** Reloads the page when the clip is rendered. Until then, its answer has a `Retry-After`. */
async function poll(): Promise<void> {
  const answer = await fetch(location.href, { method: 'HEAD' }).catch(() => null);
  if (answer && !answer.headers.has('Retry-After')) location.reload();
  else setTimeout(poll, RETRY_MS);
}

setTimeout(poll, RETRY_MS);
