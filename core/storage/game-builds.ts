import { and, desc, eq, gt, sql } from 'drizzle-orm';
import type { BuildVerdict, KnownBuilds } from '#domain/build-trust.ts';
import type { Database } from './database.ts';
import { buildVerdicts } from './schema.ts';

export type BuildVerdictRow = typeof buildVerdicts.$inferSelect;

/** `demo_build` of the operator's golden demos, of an operator's own word, and of a demo that names no build. */
export const GOLDEN_DEMO = 'golden';
export const OPERATOR = 'operator';
export const UNKNOWN_DEMO = 'unknown';

/** How long a golden verdict shows that its host exists: hosts repeat their verdicts with each claim. */
const GOLDEN_KNOWN_MS = 24 * 60 * 60_000;
/** The least time between two writes of an unchanged golden verdict. */
const GOLDEN_NOTED_MS = 60 * 60_000;
/** Verdicts that are kept. */
const MOST_VERDICTS = 10_000;

/** No verdict on any build. */
export const NOTHING_KNOWN: KnownBuilds = {
  ...{ passed: new Set(), failed: new Set(), refused: new Set(), hasGolden: false },
};

/**
 * Reads the verdicts on builds of the game. Not cached: a verdict counts from the next claim on. A failure counts for a
 * day after its last report, so a host that is gone bars no build.
 */
export async function readKnownBuilds(db: Database, builds: readonly string[], now: number): Promise<KnownBuilds> {
  if (builds.length === 0) return NOTHING_KNOWN;
  const since = now - GOLDEN_KNOWN_MS;
  const has = (verdict: BuildVerdict, after: number) =>
    sql`EXISTS (SELECT 1 FROM ${buildVerdicts} WHERE game_build = value AND verdict = ${verdict} AND last_at > ${after})`;
  const golden = sql`EXISTS (SELECT 1 FROM ${buildVerdicts}
    WHERE game_build = value AND demo_build = ${GOLDEN_DEMO} AND verdict = 'refused' AND last_at > ${since})`;
  const [rows, hosts] = await Promise.all([
    db.all<{ build: string } & Record<BuildVerdict, number>>(sql`
      SELECT value AS build, ${has('passed', 0)} AS passed, ${has('failed', since)} AS failed,
        ${golden} AS refused
      FROM json_each(${JSON.stringify(builds)})`),
    db
      .select({ lastAt: buildVerdicts.lastAt })
      .from(buildVerdicts)
      .where(and(eq(buildVerdicts.demoBuild, GOLDEN_DEMO), gt(buildVerdicts.lastAt, since)))
      .limit(1),
  ]);
  const having = (verdict: BuildVerdict) => new Set(rows.flatMap((row) => (row[verdict] ? row.build : [])));
  const verdicts = { passed: having('passed'), failed: having('failed'), refused: having('refused') };
  return { ...verdicts, hasGolden: hosts.length > 0 };
}

const KEY = [buildVerdicts.gameBuild, buildVerdicts.demoBuild, buildVerdicts.verdict];

/** Counts the outcome of a job, or stores a verdict without a job; an unchanged one is written once an hour. */
export async function noteVerdict(
  db: Database,
  verdict: Pick<BuildVerdictRow, 'gameBuild' | 'demoBuild' | 'verdict'> & { readonly jobs: 0 | 1 },
  now: number,
): Promise<void> {
  const { jobs, lastAt } = buildVerdicts;
  await db
    .insert(buildVerdicts)
    .values({ ...verdict, firstAt: now, lastAt: now })
    .onConflictDoUpdate({
      target: KEY,
      set: { jobs: sql`${jobs} + ${verdict.jobs}`, lastAt: now },
      ...(verdict.jobs === 0 && { setWhere: sql`${lastAt} <= ${now - GOLDEN_NOTED_MS}` }),
    });
}

/** Deletes all verdicts on a build. Returns whether there were any. */
export async function deleteVerdicts(db: Database, gameBuild: string): Promise<boolean> {
  const { meta } = await db.delete(buildVerdicts).where(eq(buildVerdicts.gameBuild, gameBuild));
  return meta.changes > 0;
}

/** Reads verdicts, the latest first. */
export async function selectBuildVerdicts(db: Database, limit: number): Promise<BuildVerdictRow[]> {
  return db.select().from(buildVerdicts).orderBy(desc(buildVerdicts.lastAt)).limit(limit);
}

/** Deletes up to `limit` verdicts that were last given before a time, or beyond the latest 10,000. Returns how many. */
export async function pruneBuildVerdicts(db: Database, before: number, limit: number): Promise<number> {
  const latest = sql`(SELECT last_at FROM ${buildVerdicts} WHERE last_at > 0 ORDER BY last_at DESC LIMIT 1 OFFSET ${MOST_VERDICTS - 1})`;
  const { meta } = await db.run(sql`
    DELETE FROM ${buildVerdicts} WHERE rowid IN (
      SELECT rowid FROM ${buildVerdicts} WHERE last_at < MAX(${before}, COALESCE(${latest}, 0)) ORDER BY last_at LIMIT ${limit})`);
  return meta.changes;
}
