import type { CallOperation } from './operations.ts';
import type { AccountOperations, Rule, RuleChange, RuleRequest, RuleTrial } from './shapes.ts';
import type { RequestOptions } from './transport.ts';

/** What is rendered and sent by itself when a demo arrives. */
export interface Rules {
  /** The new rule acts with the scope of the client's key. */
  create(rule: RuleRequest, options?: RequestOptions): Promise<Rule>;
  /** Returns all rules, oldest first. */
  list(options?: RequestOptions): Promise<readonly Rule[]>;
  /** Returns a rule with its latest runs. */
  get(ruleId: string, options?: RequestOptions): Promise<Rule>;
  /** A given field replaces all of that field. `enabled: true` also resumes a paused rule. */
  change(ruleId: string, changes: RuleChange, options?: RequestOptions): Promise<Rule>;
  delete(ruleId: string, options?: RequestOptions): Promise<void>;
  /** Returns the clips that the rule would make of an inspected demo. Makes none. */
  try(ruleId: string, demoUrl: string, options?: RequestOptions): Promise<RuleTrial>;
}

export function createRules(call: CallOperation<AccountOperations>): Rules {
  return {
    create: (body, options) => call('createRule', { body }, options),
    list: async (options) => (await call('listRules', {}, options)).rules,
    get: (id, options) => call('getRule', { params: { id } }, options),
    change: (id, body, options) => call('changeRule', { params: { id }, body }, options),
    delete: (id, options) => call('deleteRule', { params: { id } }, options),
    try: (id, demo_url, options) => call('tryRule', { params: { id }, body: { demo_url } }, options),
  };
}
