import type { SubmitRequest } from '#protocol/clip/submit.ts';
import type { RuleRow } from '#storage/rule/rules.ts';

type Clips = Pick<RuleRow, 'definition' | 'send'>;

/** Returns the submit of a moment. Ranges of ticks have no options of round mode. */
export function clipBody({ definition, send }: Clips, moment: Partial<SubmitRequest>, demo_url: string): object {
  const { pre_kill_padding, post_kill_padding, pov, merge_gap, ...options } = definition.options;
  const { discord_url: _discord, ...webhook } = send;
  return {
    ...options,
    ...(!moment.timeline && { pre_kill_padding, post_kill_padding, pov, merge_gap }),
    ...webhook,
    ...moment,
    demo_url,
  };
}
