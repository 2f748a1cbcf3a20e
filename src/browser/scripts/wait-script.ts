const LOOK_AGAIN_MS = 5000;

/**
 * While the clip is in the making the page's answer says when to ask again; as soon as it does not, it is another page.
 */
async function look(): Promise<void> {
  const answer = await fetch(location.href, { method: 'HEAD' }).catch(() => null);
  if (answer && !answer.headers.has('Retry-After')) location.reload();
  else setTimeout(look, LOOK_AGAIN_MS);
}

setTimeout(look, LOOK_AGAIN_MS);
