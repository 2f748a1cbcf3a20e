/** Left out: marks of text direction and other characters without a shape, halves of characters. */
const INVISIBLE = /[\p{Cf}\p{Cs}]+/gu;
const BLANK = /[\p{Cc}\s]+/gu;

/**
 * A name that a demo gives, fit to be shown: one line, nothing invisible, `most` code points at most. Anything may be in
 * a demo, so it is never refused for a name; the result may be empty.
 */
export function cleanName(name: string, most: number): string {
  const clean = name.replace(INVISIBLE, '').replace(BLANK, ' ').trim();
  return [...clean].slice(0, most).join('').trimEnd();
}

/** As much of a text as fits into `most` UTF-16 units, which is what the protocol counts; never half a character. */
export function cutText(text: string, most: number): string {
  const whole = text.toWellFormed();
  const cut = whole.slice(0, most);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
