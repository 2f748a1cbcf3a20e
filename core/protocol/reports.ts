import * as z from 'zod';
import { cleanLine } from '#domain/clean-text.ts';
import { REPORT_OUTCOMES, REPORT_REASONS, type ReportReason } from '#domain/clip-report.ts';
import { next_cursor, page } from './lists.ts';

/** Reports of viewers about clips, and what operators do about them. */

const reason = z.enum(Object.keys(REPORT_REASONS) as ReportReason[], 'Choose a reason.');

/** Characters of a report's text (UTF-16 units, as browsers count them), and of a mail address. */
export const REPORT_TEXT = 2000;
export const REPORT_CONTACT = 254;

/** Cleans each line. A form sends the end of a line as two characters, and a browser counts it as one. */
const cleanLines = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map(cleanLine)
    .join('\n')
    .trim();

const NO_ADDRESS = 'That is no mail address.';

/** The fields of the form. The messages are for viewers. */
export const ReportForm = z.object({
  reason,
  text: z
    .string()
    .overwrite(cleanLines)
    .max(REPORT_TEXT, `The text may have ${REPORT_TEXT} characters at most.`)
    .default(''),
  contact: z
    .union([z.literal(''), z.email(NO_ADDRESS).max(REPORT_CONTACT, NO_ADDRESS)])
    .transform((address) => address || null)
    .default(null),
});

export const TakeDown = z
  .strictObject({
    reason: z.string().overwrite(cleanLine).min(1).max(500).meta({
      description: 'Why, for the owner of the clip and the audit log. Viewers do not see it.',
    }),
  })
  .meta({ id: 'TakeDown', description: 'Why a clip is taken down.' });

export const ReportClosing = z
  .strictObject({
    outcome: z.enum(['resolved', 'dismissed'], 'must be resolved or dismissed').meta({
      description: '`resolved` where something was done, `dismissed` where nothing was.',
    }),
  })
  .meta({ id: 'ReportClosing', description: 'What became of a report.' });

export const ReportQuery = z.strictObject({
  limit: page.limit,
  cursor: page.cursor,
  clip: z.uuid('must be a UUID').optional().meta({ description: 'Only reports of this clip.' }),
  state: z.enum(['open', 'closed'], 'must be open or closed').optional().meta({ description: 'Only these.' }),
});
export const ReportList = z
  .object({
    reports: z.array(
      z
        .object({
          report_id: z.uuid().meta({ description: 'The report, for closing it.' }),
          clip_id: z.uuid().meta({ description: 'The clip.' }),
          job_id: z.uuid().nullable().meta({ description: 'Its job; null if that is erased.' }),
          account_id: z.uuid().nullable().meta({ description: 'Whose it is.' }),
          account_name: z.string().nullable().meta({ description: 'Its name; null if it is erased.' }),
          title: z.string().nullable().meta({ description: 'Its title.' }),
          reason: reason.meta({ description: 'What the viewer chose.' }),
          text: z.string().meta({ description: 'What they wrote, in one or more lines; may be empty.' }),
          contact: z
            .string()
            .nullable()
            .meta({ description: 'Their mail address, unchecked, if they want an answer.' }),
          created_at: z.iso.datetime().meta({ description: 'When it came.' }),
          closed_at: z.iso.datetime().nullable().meta({ description: 'When it was closed; null while it is open.' }),
          outcome: z
            .enum(REPORT_OUTCOMES)
            .nullable()
            .meta({ description: 'What became of it; null while it is open.' }),
        })
        .meta({ id: 'ClipReport', description: 'What a viewer reported about a clip.' }),
    ),
    next_cursor,
  })
  .meta({ id: 'ClipReportList', description: 'A page of reports, the newest first.' });
