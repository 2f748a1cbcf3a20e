/** Reports of viewers about clips. */

/** What a viewer can choose from, in their words. */
export const REPORT_REASONS = {
  privacy: 'It shows me, or something private',
  abuse: 'Hate, harassment or an offensive name',
  illegal: 'It is against the law',
  rights: 'It uses what belongs to me',
  other: 'Something else',
} as const;
export type ReportReason = keyof typeof REPORT_REASONS;

/** `removed` by a take-down; an operator closes others as `resolved` or `dismissed`. */
export const REPORT_OUTCOMES = ['removed', 'resolved', 'dismissed'] as const;
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number];
