import * as z from 'zod';
import { colourFault } from '#domain/account/brand.ts';

export const Name = z.string().trim().min(1).max(100).meta({ description: 'The name that people see in lists.' });

export const created_at = z.iso.datetime().meta({ description: 'Time of creation, in UTC.' });

export const revoked_at = z.iso
  .datetime()
  .nullable()
  .meta({ description: 'Time of revocation. Null while it is valid.' });

export const Labels = z
  .array(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, 'must be a word of small letters, digits, dots, dashes and _'))
  .max(16)
  .readonly();

export const expires_at = z.iso.datetime().meta({ description: 'Time when the registration expires.' });

/** Separated by spaces or commas. */
const list = z.string().transform((text) => text.split(/[\s,]+/).filter((item) => item !== ''));

/** A whole number from 1. */
export const wholeNumber = (preset: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(1).default(preset);

/** The location in which all data has to stay. */
export const jurisdiction = z.enum(['eu', 'fedramp']);
export const locationHint = z.enum(['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me']);

export const domainList = list.pipe(
  z.array(z.string().regex(/^(\*|[a-z0-9-]+(\.[a-z0-9-]+)*)$/, 'must be domain names, or *')).min(1),
);

/** As in "80 443". */
export const portList = list.transform((ports) => ports.map(Number)).pipe(z.array(z.int().min(1).max(65_535)));

export const originList = list.pipe(z.array(z.url({ protocol: /^https?$/ })));

/** Prices of a rendered hour, the cheapest first, as in "EUR 1080p60=9 1440p120=18.50". */
export const priceList = z
  .string()
  .regex(/^[A-Z]{3}( \d+p\d+=\d+(\.\d+)?)+$/, 'must be as in "EUR 1080p60=9 1440p120=18.50"')
  .transform((text) => {
    const [currency = '', ...rates] = text.split(' ');
    const numbers = rates.map((rate) => rate.split(/[p=]/).map(Number));
    return { currency, rates: numbers.map(([resolution = 0, fps = 0, perHour = 0]) => ({ resolution, fps, perHour })) };
  });

export type PriceList = z.output<typeof priceList>;

export const baseUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** The fields of a brand, as settings and operators give them. */
export const brand = {
  name: z.string().trim().max(60),
  url: z.url({ protocol: /^https?$/ }),
  logo: z
    .string()
    .regex(/^\/[\w-][\w./-]*\.(svg|png)$/, 'must be the path of an .svg or .png file, such as /player/logo.svg'),
  colour: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, { error: 'must be a colour such as #ffb658', abort: true })
    .refine((colour) => colourFault(colour) === null, { error: ({ input }) => colourFault(String(input)) ?? '' }),
};

/** The id of a zone or an account of Cloudflare. */
export const hexadecimal = z.string().regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits');

/** RFC 9110 section 5.1. */
export const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header');

export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function isoTimeOrNull(epochMs: number | null | undefined): string | null {
  return epochMs == null ? null : isoTime(epochMs);
}

/** Whatever a client sends for itself and gets back. */
export const AnyJson = z
  .unknown()
  .meta({ id: 'AnyJson', description: 'Any JSON value. The service returns it unchanged.' });

/** Parses `?include=diagnosis,queue`: known names separated by commas. */
export function includeOf<const Name extends string>(
  names: readonly Name[],
): z.ZodType<readonly Name[], string | undefined> {
  const known = `must be names out of ${names.join(', ')}, separated by commas`;
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(names as unknown as [Name, ...Name[]], known)))
    .default([])
    .meta({
      description: `Fields to add: any of ${names.map((name) => `\`${name}\``).join(', ')}, separated by commas.`,
      override: { type: 'string', examples: [names.join(',')] },
    });
}
