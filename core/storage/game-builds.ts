import { and, desc, eq, gt, sql } from 'drizzle-orm';
import type { BuildVerdict, KnownBuilds } from '#domain/build-trust.ts';
import type { Database } from './database.ts';
import { buildVerdicts } from './schema.ts';

export type BuildVerdictRow = typeof buildVerdicts.$inferSelect;

/** `demo_build` of the operator's golden demos, and of a demo that names no build. */
export const GOLDEN_DEMO = 'golden';
export const UNKNOWN_DEMO = 'unknown';

/** How long a golden verdict shows that hosts with golden demos exist. */
const GOLDEN_KNOWN_MS = 24 * 60 * 60_000;
/** How outdated the last time of a golden verdict may be. Hosts repeat their verdicts with each claim. */
const GOLDEN_NOTED_MS = 60 * 60_000;

/** Reads what is known of builds of the game. Not cached: a verdict counts from the next claim on. */
export async function readKnownBuilds(db: Database, builds: readonly string[], now: number): Promise<KnownBuilds> {
  if (builds.length === 0) return { passed: new Set(), failed: new Set(), hasGolden: false };
  const has = (verdict: BuildVerdict) =>
    sql`EXISTS (SELECT 1 FROM ${buildVerdicts} WHERE game_build = value AND verdict = ${verdict})`;
  const [rows, golden] = await Promise.all([
    db.all<{ build: string; passed: number; failed: number }>(sql`
      SELECT value AS build, ${has('passed')} AS passed, ${has('failed')} AS failed
      FROM json_each(${JSON.stringify(builds)})`),
    db
      .select({ lastAt: buildVerdicts.lastAt })
      .from(buildVerdicts)
      .where(and(eq(buildVerdicts.demoBuild, GOLDEN_DEMO), gt(buildVerdicts.lastAt, now - GOLDEN_KNOWN_MS)))
      .limit(1),
  ]);
  return {
    passed: new Set(rows.flatMap(({ build, passed }) => (passed ? build : []))),
    failed: new Set(rows.flatMap(({ build, failed }) => (failed ? build : []))),
    hasGolden: golden.length > 0,
  };
}

/** Counts the outcome of a job with a build of the game. */
export async function noteBuildOutcome(
  db: Database,
  { verdict, ...builds }: { gameBuild: string; demoBuild: string; verdict: 'passed' | 'refused' },
  now: number,
): Promise<void> {
  const { jobs } = buildVerdicts;
  await db
    .insert(buildVerdicts)
    .values({ ...builds, verdict, jobs: 1, firstAt: now, lastAt: now })
    .onConflictDoUpdate({ target: KEY, set: { jobs: sql`${jobs} + 1`, lastAt: now } });
}

/** Stores the verdict of a host's golden demos. Writes an unchanged one once an hour. */
export async function noteGoldenVerdict(
  db: Database,
  gameBuild: string,
  verdict: 'passed' | 'failed',
  now: number,
): Promise<void> {
  await db
    .insert(buildVerdicts)
    .values({ gameBuild, demoBuild: GOLDEN_DEMO, verdict, jobs: 0, firstAt: now, lastAt: now })
    .onConflictDoUpdate({
      target: KEY,
      set: { lastAt: now },
      setWhere: sql`${buildVerdicts.lastAt} <= ${now - GOLDEN_NOTED_MS}`,
    });
}
const KEY = [buildVerdicts.gameBuild, buildVerdicts.demoBuild, buildVerdicts.verdict];

/** Reads verdicts, the latest first. */
export async function selectBuildVerdicts(db: Database, limit: number): Promise<BuildVerdictRow[]> {
  return db.select().from(buildVerdicts).orderBy(desc(buildVerdicts.lastAt)).limit(limit);
}

/** Deletes up to `limit` verdicts that were last given before a time. Returns how many. */
export async function pruneBuildVerdicts(db: Database, before: number, limit: number): Promise<number> {
  const { meta } = await db.run(sql`
    DELETE FROM ${buildVerdicts} WHERE rowid IN (
      SELECT rowid FROM ${buildVerdicts} WHERE last_at < ${before} ORDER BY last_at LIMIT ${limit})`);
  return meta.changes;
}
