import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { getKindFields, toConditionRow } from '../../pending/condition-row.ts';
import type { InboxContext } from '../../pending/inbox-context.ts';
import type { RuleStep } from '../../pending/rules.ts';
import { compileCondition, Undecided } from '../../query/condition.ts';
import { splitConjuncts } from '../../query/conjuncts.ts';
import type { RuledItem } from './decision-rows.ts';

/** `--explain`: how the rules decide on one request, rule by rule. */

/** By its id or the beginning of it, by the address or the whole name of its member. @throws Failure, UsageError */
const findItem = (ruled: readonly RuledItem[], { names }: Context, text: string): RuledItem => {
  const wanted = text.trim().toLowerCase();
  const isMeant = ({ pending: { item, member } }: RuledItem): boolean =>
    item.id.toLowerCase().startsWith(wanted) ||
    [member?.email, names.member.of(item.userId), item.memberName].some(
      (name) => name != null && toText(name).toLowerCase() === wanted,
    );
  const found = ruled.filter(isMeant);
  const exact = found.filter(({ pending }) => pending.item.id === text);
  const [one, ...others] = exact.length > 0 ? exact : found;
  if (one === undefined) {
    throw new Failure(`no request "${text}" is waiting for a decision`, {
      code: 'not_found',
      exit: EXIT.notFound,
    });
  }
  if (others.length > 0) {
    throw new UsageError(`"${text}" has ${found.length} requests that are waiting`, {
      code: 'ambiguous',
      reason: found.map(({ pending: { item } }) => `${item.kind}  ${item.from}  ${item.id}`).join('\n'),
      hint: 'Name one by its id.',
    });
  }
  return one;
};

/** The parts of a condition that are not true of the item, each with what it reads. */
const describeFalse = async ({ rule }: RuleStep, row: Readonly<Record<string, unknown>>) => {
  const { kind, when } = rule;
  const source = { where: 'when', fields: getKindFields(kind) };
  const parts = splitConjuncts(when.text);
  const conditions = await Promise.all(
    parts.map((part) => compileCondition(part, source).catch(() => undefined)),
  );
  const known = conditions.filter((condition) => condition !== undefined);
  // A part that is no condition by itself makes the whole the smallest that is.
  const asked = known.length === parts.length ? known : [when];
  return asked
    .filter((condition) => condition.test(row) === false)
    .map((condition) => {
      const read = [...condition.names].map((name) => {
        const [head = '', inner] = name.split('.');
        const value = row[head];
        const shown =
          inner === undefined ? value : (value as Readonly<Record<string, unknown>> | null)?.[inner];
        return `${name} is ${toText(shown ?? null)}`;
      });
      return read.length === 0 ? condition.text : `${condition.text} (${read.join(', ')})`;
    })
    .join('; ');
};

const VERDICTS = { approve: 'To approve', reject: 'To reject', hold: 'Held' } as const;

/** Prints a row for each rule that was asked, the one that decides last. */
export const explainDecision = async (
  context: Context,
  { ruled, inboxContext }: { readonly ruled: readonly RuledItem[]; readonly inboxContext: InboxContext },
  text: string,
): Promise<void> => {
  const { output, names } = context;
  const { pending, decision } = findItem(ruled, context, text);
  const row = toConditionRow(pending, { names, inboxContext });
  const rows = await Promise.all(
    decision.steps.map(async (step) => {
      const { result, rule } = step;
      if (result instanceof Undecided)
        return { rule: rule.name, result: 'undecided', why: result.message, outcome: 'hold' };
      const why = result ? rule.when.text : await describeFalse(step, row);
      return { rule: rule.name, result: String(result), why, outcome: result ? rule.outcome : null };
    }),
  );
  async function* pages() {
    yield { rows, total: rows.length };
  }
  await output.list(pages(), {
    noun: 'rules of this kind',
    id: 'rule',
    columns: [
      { field: 'rule' },
      { field: 'result', kind: 'state' },
      { field: 'outcome', sparse: true },
      { field: 'why', least: 24, wrap: true },
    ],
  });
  const { outcome, rule, why } = decision;
  const because =
    rule === undefined
      ? why
      : `by the rule "${rule.name}"${why === undefined ? '' : `, which is undecided: ${why}`}`;
  output.note(`${VERDICTS[outcome]}: ${because}.`);
};
