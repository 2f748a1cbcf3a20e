import { cleanName } from '#domain/clean-text.ts';
import type { UploadFacts } from './uploads.ts';

/**
 * Reads what MatchZy (`MatchZy-…`) and get5 (`Get5-…`) say about a demo in the headers of its upload. A wrong value
 * counts as none.
 */
export function factsOf(headers: Headers): UploadFacts {
  const header = (name: string) => headers.get(`MatchZy-${name}`) ?? headers.get(`Get5-${name}`) ?? '';
  const text = (name: string, most: number) => cleanName(header(name), most) || undefined;
  const number = (name: string) => (/^\d{1,9}$/.test(header(name)) ? Number(header(name)) : undefined);
  return {
    file_name: text('FileName', 200),
    match_id: text('MatchId', 100),
    map_number: number('MapNumber'),
    round_number: number('RoundNumber'),
  };
}
