import { describe, expect, it } from 'vitest';
import { disposition } from '../../src/media/disposition.ts';

/** The name as a client reads it that knows RFC 8187. */
function nameIn(header: string): string {
  return decodeURIComponent(/filename\*=UTF-8''(.*)$/.exec(header)?.[1] ?? '');
}

describe('the name that a file is saved under', () => {
  it('is the title, in ASCII and as it is', () => {
    expect(disposition('2 kills by Zoë', 'video', true)).toBe(
      `attachment; filename="2 kills by Zo_.mp4"; filename*=UTF-8''2%20kills%20by%20Zo%C3%AB.mp4`,
    );
    expect(disposition('Ace', 'thumbnail', false)).toBe(`inline; filename="Ace.jpg"; filename*=UTF-8''Ace.jpg`);
  });

  it.each([
    ['ends the header', 'a\r\nSet-Cookie: x=1', 'a Set-Cookie  x=1.mp4'],
    ['ends the name', 'a"; filename=evil.exe; x="', 'a ; filename=evil.exe; x=.mp4'],
    ['ends it in its other form', "a'b(c)", "a'b(c).mp4"],
    ['leads into a folder', '../../etc/passwd', '.. .. etc passwd.mp4'],
    ['leads into one of Windows', 'C:\\autorun', 'C autorun.mp4'],
    ['is escaped already', 'a%0d%0ab%22', 'a%0d%0ab%22.mp4'],
    ['turns its direction', 'a\u202e4pm', 'a 4pm.mp4'],
    ['is nothing', '\u0000\u200b', 'clip.mp4'],
    ['is cut within a character', `${'a'.repeat(119)}😀`, `${'a'.repeat(119)}\ufffd.mp4`],
  ])('holds where a title %s', (_, title, name) => {
    const header = disposition(title, 'video', true);
    expect(nameIn(header)).toBe(name);
    expect(header).toMatch(/^attachment; filename="[^"\\%\r\n\u0080-\uffff]*"; filename\*=UTF-8''[\w.!#$&+^`|~%-]+$/);
    expect(new Headers({ 'Content-Disposition': header }).get('Content-Disposition')).toBe(header);
  });
});
