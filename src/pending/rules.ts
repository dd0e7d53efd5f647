import type { Row } from '../api/page.ts';
import { type Condition, Undecided } from '../query/condition.ts';
import type { InboxKind } from './item.ts';

/** Rules that decide on what waits: the first one that is true of an item does. Pure. */

export const RULE_OUTCOMES = ['approve', 'reject', 'hold'] as const;
export type RuleOutcome = (typeof RULE_OUTCOMES)[number];

export interface Rule {
  /** Of its own among all rules. */
  readonly name: string;
  readonly kind: InboxKind;
  readonly when: Condition;
  readonly outcome: RuleOutcome;
  /** What the member reads of a rejection; why the rule holds. */
  readonly reason: string | undefined;
}

/** A rule that was asked about an item. */
export interface RuleStep {
  readonly rule: Rule;
  readonly result: boolean | Undecided;
}

export interface RuleDecision {
  readonly outcome: RuleOutcome;
  /** The rule that decides, or that could not be decided; undefined: none is true. */
  readonly rule: Rule | undefined;
  /** Why it is held, where that is not what the rule says. */
  readonly why: string | undefined;
  /** The rules of the kind, as far as they were asked. */
  readonly steps: readonly RuleStep[];
}

/**
 * The first rule of the kind that is true decides. One that cannot be decided holds the item, and so does none.
 * @param row what the conditions read (condition-row.ts)
 * @throws UsageError for a condition that values of the row have the wrong type for
 */
export const decideByRules = (rules: readonly Rule[], kind: InboxKind, row: Row): RuleDecision => {
  const steps: RuleStep[] = [];
  for (const rule of rules) {
    if (rule.kind !== kind) continue;
    const result = rule.when.test(row);
    steps.push({ rule, result });
    if (result instanceof Undecided) return { outcome: 'hold', rule, why: result.message, steps };
    if (result) return { outcome: rule.outcome, rule, why: undefined, steps };
  }
  return { outcome: 'hold', rule: undefined, why: 'no rule matches', steps };
};
