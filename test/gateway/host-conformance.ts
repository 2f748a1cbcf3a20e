import { GENERAL_RULES, PUSH_RULES, RULES } from './rules.ts';
import { type Candidate, playRule, type Rule } from './stage.ts';

export interface Verdict {
  /** The rule, in words: what a host does. */
  readonly says: string;
  /** How the host broke it. */
  readonly faults: readonly string[];
}

/** Runs each rule whose words contain `only`, `atOnce` at a time, and reports each when it has ended. */
export async function tryHost(
  candidate: Candidate,
  {
    only = '',
    atOnce = 2,
    tell = () => {},
  }: { only?: string; atOnce?: number; tell?: (verdict: Verdict) => void } = {},
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const general = new Map<string, string[]>();
  const judge = (says: string, faults: readonly string[]) => {
    verdicts.push({ says, faults });
    tell({ says, faults });
  };
  const waiting: Rule[] = (candidate.isPush ? PUSH_RULES : RULES).filter(({ says }) => says.includes(only));
  const play = async (): Promise<void> => {
    for (let rule = waiting.shift(); rule; rule = waiting.shift()) {
      const faults = await playRule(rule, candidate);
      judge(rule.says, faults.get(rule.says) ?? []);
      for (const [name, details] of faults) {
        if (name !== rule.says) general.set(name, [...(general.get(name) ?? []), ...details]);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, play));
  for (const [name, says] of Object.entries(GENERAL_RULES)) judge(says, general.get(name) ?? []);
  return verdicts;
}
