import type { Column, Context } from '../../context.ts';
import type { PendingItem } from '../../pending/pending-item.ts';
import type { RuleDecision } from '../../pending/rules.ts';
import { createInboxColumns, toInboxRow } from './rows.ts';

/** What rules decide, as rows of a list. */

/** Something that waits, and what the rules say of it. */
export interface RuledItem {
  readonly pending: PendingItem;
  readonly decision: RuleDecision;
}

/** What a rejection says, and a hold. */
export const getReason = ({ rule, outcome }: RuleDecision): string | null =>
  outcome === rule?.outcome ? (rule.reason ?? null) : null;

export const toDecisionRow = ({ pending, decision }: RuledItem, { names }: Pick<Context, 'names'>) => {
  const { kind, id, member, email, date_from, date_to, hours, days, warnings } = toInboxRow(pending, names);
  return {
    ...{ kind, id, member, email, date_from, date_to, hours, days, warnings },
    outcome: decision.outcome,
    rule: decision.rule?.name ?? null,
    reason: getReason(decision),
    why: decision.why ?? null,
  };
};

/** @param judgement what stands before the outcome */
export const createDecisionColumns = (
  { names }: Pick<Context, 'names'>,
  judgement: readonly Column[] = [],
): readonly Column[] => {
  const all = createInboxColumns(names);
  const pick = (...fields: readonly string[]) => all.filter(({ field }) => fields.includes(field));
  return [
    ...pick('member', 'kind'),
    ...judgement,
    { field: 'outcome', kind: 'state' },
    ...pick('period', 'hours', 'days', 'date_from', 'date_to'),
    { field: 'rule', least: 14 },
    { field: 'why', sparse: true, least: 16, drop: 2 },
    ...pick('id'),
  ];
};
