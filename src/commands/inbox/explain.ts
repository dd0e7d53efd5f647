import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { getToday } from '../../parsing/calendar.ts';
import { getKindFields, toConditionRow } from '../../pending/condition-row.ts';
import type { RuleStep } from '../../pending/rules.ts';
import { formatDays } from '../../pending/text.ts';
import { compileCondition, Undecided } from '../../query/condition.ts';
import { splitConjuncts } from '../../query/conjuncts.ts';
import type { RuledItem } from './decision-rows.ts';
import { formatMember } from './rows.ts';

/** `--explain`: how the rules decide on one request, rule by rule. */

/** Which it is of several: how they are told apart. @throws UsageError */
const refuseSeveral = (found: readonly RuledItem[], context: Context, text: string): never => {
  const timeZone = context.timeZone();
  const today = getToday(context.clock.now(), timeZone);
  const items = found.map(({ pending }) => pending.item);
  const countDistinct = (values: readonly string[]): number => new Set(values).size;
  const days = items.map(({ from, to }) => (from === null ? '' : formatDays(from, to ?? from, today)));
  const flags = [
    ...(countDistinct(items.map(({ kind }) => kind)) > 1 ? ['--kind'] : []),
    ...(countDistinct(days) > 1 ? ['--period'] : []),
  ].join(' or ');
  throw new UsageError(`"${text}" has ${found.length} requests that are waiting`, {
    code: 'ambiguous',
    reason: found
      .map(({ pending }, i) =>
        [items[i]?.kind, formatMember(pending, context.names), days[i], items[i]?.id].join('  '),
      )
      .join('\n'),
    hint: `Name one by its id${flags === '' ? '' : `, or narrow them down with ${flags}`}.`,
  });
};

/** By its id, at a terminal by the beginning of it; by the address or the whole name of its member. @throws Failure, UsageError */
const findItem = (ruled: readonly RuledItem[], context: Context, text: string): RuledItem => {
  const { names, prompter } = context;
  const wanted = text.trim().toLowerCase();
  const isMeant = ({ pending: { item, member } }: RuledItem): boolean =>
    item.id.toLowerCase() === wanted ||
    (prompter.available && wanted !== '' && item.id.toLowerCase().startsWith(wanted)) ||
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
  return others.length === 0 ? one : refuseSeveral(found, context, text);
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
  ruled: readonly RuledItem[],
  text: string,
): Promise<void> => {
  const { output, names } = context;
  const { pending, decision } = findItem(ruled, context, text);
  const row = toConditionRow(pending, names);
  const { outcome, rule: decider, why: reason } = decision;
  const because =
    decider === undefined
      ? reason
      : `by the rule "${decider.name}"${reason === undefined ? '' : `, which is undecided: ${reason}`}`;
  const steps = await Promise.all(
    decision.steps.map(async (step) => {
      const { result, rule } = step;
      if (result instanceof Undecided)
        return { rule: rule.name, result: 'undecided', why: result.message, outcome: 'hold' };
      const why = result ? rule.when.text : await describeFalse(step, row);
      return { rule: rule.name, result: String(result), why, outcome: result ? rule.outcome : null };
    }),
  );
  // Scripts have what people read below: with no rule of this kind too.
  const none = { rule: null, result: null, why: reason, outcome };
  const rows = (steps.length === 0 ? [none] : steps).map((step) => ({ ...step, decision: outcome, because }));
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
  output.note(`${VERDICTS[outcome]}: ${because}.`);
};
