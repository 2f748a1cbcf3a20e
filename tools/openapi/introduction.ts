/** The introduction of the document of clients, in CommonMark. */
export const INTRODUCTION = `
Tickreel renders moments of recorded Counter-Strike 2 matches into clips: one MP4 and one thumbnail each. Post the address
of a demo with the moments that you want, then follow the job, or wait for its webhook.

**Keys.** Send \`Authorization: Bearer <key>\`. An account has a metered key for best-effort jobs and a reserved key for
priority jobs; either reads and changes everything of the account, and nothing of any other.
`.trim();

/** The rules of all documents. */
export const COMMON = `
**Errors.** Every error is a problem (RFC 9457) as \`application/problem+json\`. Its \`type\` is the URL of a page on it. A known
address with another method is answered 405 with \`Allow\`; HEAD works where GET does. Every answer has an
\`X-Request-Id\`.

**Versions.** Addresses carry no version. Fields and error codes may be added at any time; ignore those that you do not
know.
`.trim();
