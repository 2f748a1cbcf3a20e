import { cleanName } from '#domain/lib/clean-text.ts';
import { MAX_NAME, type UploadFacts } from './uploads.ts';

/** Reads what MatchZy or get5 says about a demo in the headers of its upload. A wrong value counts as none. */
export function factsOf(headers: Headers): UploadFacts | null {
  const header = (name: string) => headers.get(`MatchZy-${name}`) ?? headers.get(`Get5-${name}`) ?? '';
  const text = (name: string, most: number) => cleanName(header(name), most) || undefined;
  const number = (name: string) => (/^\d{1,9}$/.test(header(name)) ? Number(header(name)) : undefined);
  const facts = {
    file_name: text('FileName', MAX_NAME),
    match_id: text('MatchId', 100),
    map_number: number('MapNumber'),
    round_number: number('RoundNumber'),
  };
  return Object.values(facts).some((fact) => fact !== undefined) ? facts : null;
}
