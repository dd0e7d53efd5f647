import { decisions } from '../../api/fields.ts';
import type { Row } from '../../api/page.ts';
import { checkCount } from '../../changes/confirm.ts';
import { readText } from '../../changes/input/files.ts';
import { createRowProblems } from '../../changes/input/row-problems.ts';
import { readArray } from '../../changes/input/rows.ts';
import { checkWritable, wantsExitCode, writeChanges } from '../../changes/write.ts';
import { takeTurn } from '../../clock.ts';
import type { Context } from '../../context.ts';
import { getKindFields, toConditionRow } from '../../decide/condition-row.ts';
import { getItemKey, INBOX_KINDS, type InboxKind, toInboxItem } from '../../decide/item.ts';
import { type InboxFilter, listInState, loadInbox } from '../../decide/load-inbox.ts';
import { loadPending, type PendingItem } from '../../decide/pending.ts';
import { describeUnread, requireAllRead } from '../../decide/read-lists.ts';
import { formatDays } from '../../decide/text.ts';
import { EXIT, Failure, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { getToday, parsePeriod } from '../../parsing/calendar.ts';
import { findNearest, quoteText } from '../../parsing/text.ts';
import { type Condition, compileCondition, Undecided } from '../../query/condition.ts';
import type { ReviewDecision } from '../../screen/state.ts';
import { buildChanges } from './items.ts';
import { formatMember, printItems, toInboxRow } from './rows.ts';

/** `inbox decide`: what rules decide is shown, explained, compared, planned or sent. */

type Options = Readonly<Record<string, unknown>>;

export const RULE_OUTCOMES = ['approve', 'reject', 'hold'] as const;

export interface Rule {
  /** Of its own among all rules. */
  readonly name: string;
  readonly kind: InboxKind;
  readonly when: Condition;
  readonly outcome: (typeof RULE_OUTCOMES)[number];
  /** What the member reads of a rejection; why the rule holds. */
  readonly reason: string | undefined;
}

export interface RuleDecision {
  readonly outcome: Rule['outcome'];
  /** The rule that decides, or that could not be decided; undefined: none is true. */
  readonly rule: Rule | undefined;
  /** Why it is held, where that is not what the rule says. */
  readonly why: string | undefined;
  /** The rules of the kind, as far as they were asked. */
  readonly steps: readonly { readonly rule: Rule; readonly result: boolean | Undecided }[];
}

/**
 * The first rule of the kind that is true decides. One that cannot be decided holds the item, and so does none.
 * @param row what the conditions read (condition-row.ts)
 * @throws UsageError for a condition that values of the row have the wrong type for
 */
export const decideByRules = (rules: readonly Rule[], kind: InboxKind, row: Row): RuleDecision => {
  const steps: RuleDecision['steps'][number][] = [];
  for (const rule of rules.filter((one) => one.kind === kind)) {
    const result = rule.when.test(row);
    steps.push({ rule, result });
    if (result instanceof Undecided) return { outcome: 'hold', rule, why: result.message, steps };
    if (result) return { outcome: rule.outcome, rule, why: undefined, steps };
  }
  return { outcome: 'hold', rule: undefined, why: 'no rule matches', steps };
};

const KEYS = ['name', 'kind', 'when', 'then', 'reason'] as const;

/** @throws UsageError */
const readChoice = <Word extends string>(what: string, value: unknown, words: readonly Word[]): Word => {
  const word = words.find((one) => one === value);
  if (word !== undefined) return word;
  const near = findNearest(toText(value), words);
  throw new UsageError(`${what}${quoteText(toText(value))}`, {
    hint: near === undefined ? `It can be ${words.join(', ')}.` : `Did you mean "${near}"?`,
  });
};

/** @throws UsageError */
const readRule = async (values: Row): Promise<Rule> => {
  for (const key of Object.keys(values)) readChoice('unknown key ', key, KEYS);
  const read = (key: (typeof KEYS)[number]): string => {
    const value = values[key];
    if (value === undefined) throw new UsageError(`has no "${key}"`);
    if (typeof value === 'string' && value.trim() !== '') return value;
    throw new UsageError(`"${key}" must be a non-empty string`);
  };
  const name = read('name');
  const kind = readChoice('"kind" cannot be ', read('kind'), INBOX_KINDS);
  const outcome = readChoice('"then" cannot be ', read('then'), RULE_OUTCOMES);
  if (outcome === 'approve' && values.reason !== undefined)
    throw new UsageError('"reason" cannot be used with "then": "approve"');
  const reason = outcome === 'reject' || values.reason !== undefined ? read('reason') : undefined;
  const source = { where: '"when"', fields: getKindFields(kind), closed: true } as const;
  return { name, kind, outcome, reason, when: await compileCondition(read('when'), source) };
};

/** @throws UsageError that tells what is wrong with each of the rules, with its line */
const readRules = async (context: Context, file: string): Promise<readonly Rule[]> => {
  const source = file === '-' ? 'stdin' : file;
  const problems = createRowProblems(source);
  const rules = new Map<string, Rule>();
  const text = await readText(context.machine, file);
  if (!/^\s*\[/.test(text))
    throw new UsageError(`${source} is not a list of rules`, {
      hint: 'Rules are a JSON array: [{ "name": … }]',
    });
  const attempt = async (line: number | undefined, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message, reason, hint, details } = error;
      const told = [[message, reason].filter(Boolean).join(': '), hint].filter(Boolean).join('. ');
      problems.add(line ?? (details?.line as number | undefined), told);
    }
  };
  await attempt(undefined, async () => {
    for (const row of readArray(text))
      await attempt(row.line, async () => {
        if ('problem' in row) throw new UsageError(row.problem);
        const rule = await readRule(Object.fromEntries(row.names.map((name, i) => [name, row.cells[i]])));
        if (rules.has(rule.name)) throw new UsageError(`another rule is called ${quoteText(rule.name)}`);
        rules.set(rule.name, rule);
      });
  });
  problems.throwIfAny();
  if (rules.size === 0) throw new UsageError(`${source} has no rules`);
  return [...rules.values()];
};

/** Something that waits, and what the rules say of it. */
interface Ruled {
  readonly pending: PendingItem;
  readonly decision: RuleDecision;
}

const ruleItems = async ({ names }: Context, rules: readonly Rule[], all: readonly PendingItem[]) => {
  const ruled: Ruled[] = [];
  for (const pending of all) {
    await takeTurn();
    const decision = decideByRules(rules, pending.item.kind, toConditionRow(pending, names));
    ruled.push({ pending, decision });
  }
  return ruled;
};

/** What a rejection says, and a hold. */
const getReason = ({ rule, outcome }: RuleDecision): string | undefined =>
  outcome === rule?.outcome ? rule.reason : undefined;

/** @param judgements of each of them, in a backtest */
const printRuled = async (
  context: Context,
  ruled: readonly Ruled[],
  emptyMessage: string,
  judgements?: readonly Row[],
): Promise<void> => {
  const rows = ruled.map(({ pending, decision }, i) => ({
    ...toInboxRow(pending, context.names),
    outcome: decision.outcome,
    rule: decision.rule?.name ?? null,
    reason: getReason(decision) ?? null,
    why: decision.why ?? null,
    ...judgements?.[i],
  }));
  const judged = judgements === undefined ? [] : ['agreement', 'decided'];
  const columns = [
    ...['member', 'kind'],
    ...[...judged, 'outcome'].map((field) => ({ field, kind: 'state' as const })),
    ...['period', 'hours', 'days', 'date_from', 'date_to'],
    { field: 'rule', least: 14 },
    { field: 'why', sparse: true, least: 16, drop: 2 } as const,
    'id',
  ];
  const pending = ruled.map((one) => one.pending);
  await printItems(context, pending, { rows, emptyMessage, columns });
};

/** By its id, at a terminal by the beginning of it; by the address or the name of its member. @throws Failure, UsageError */
const findRuled = ({ names, prompter }: Context, ruled: readonly Ruled[], text: string): Ruled => {
  const wanted = text.trim().toLowerCase();
  const isMeant = ({ pending: { item, around } }: Ruled): boolean => {
    const words = [item.id, around.member?.email, names.member.of(item.userId), item.memberName];
    const isBeginning = prompter.available && wanted !== '' && item.id.toLowerCase().startsWith(wanted);
    return isBeginning || words.some((one) => one != null && toText(one).toLowerCase() === wanted);
  };
  const exact = ruled.filter(({ pending }) => pending.item.id === text);
  const found = exact.length > 0 ? exact : ruled.filter(isMeant);
  const [one, ...others] = found;
  if (one === undefined) {
    const details = { code: 'not_found', exit: EXIT.notFound } as const;
    throw new Failure(`no request "${text}" is waiting for a decision`, details);
  }
  if (others.length === 0) return one;
  const candidates = found.map(({ pending }) => {
    const { kind, from, to, id } = pending.item;
    const days = from === null ? '' : formatDays(from, to ?? from, pending.around.today);
    return [kind, formatMember(pending, names), days, id].join('  ');
  });
  throw new UsageError(`"${text}" has ${found.length} requests that are waiting`, {
    code: 'ambiguous',
    reason: candidates.join('\n'),
    hint: 'Name one by its id, or narrow them down with --kind or --period.',
  });
};

const VERDICTS = { approve: 'To approve', reject: 'To reject', hold: 'Held' } as const;

/** `--explain`: a row for each rule that was asked, the one that decides last, with what its condition reads. */
const explainDecision = async (context: Context, { pending, decision }: Ruled): Promise<void> => {
  const { output, names } = context;
  const row = toConditionRow(pending, names);
  const { outcome, rule: decider, why: reason } = decision;
  const because =
    decider === undefined
      ? reason
      : `by the rule "${decider.name}"${reason === undefined ? '' : `, which is undecided: ${reason}`}`;
  const describeFalse = ({ when }: Rule): string => {
    const read = [...when.names].map((name) => {
      const [head = '', inner] = name.split('.');
      const value = inner === undefined ? row[head] : (row[head] as Row | null)?.[inner];
      return `${name} is ${toText(value ?? null)}`;
    });
    return read.length === 0 ? when.text : `${when.text} (${read.join(', ')})`;
  };
  const steps = decision.steps.map(({ rule, result }) => {
    const { name } = rule;
    if (result instanceof Undecided) return { rule: name, result: 'undecided', outcome, why: result.message };
    if (!result) return { rule: name, result: 'false', outcome: null, why: describeFalse(rule) };
    return { rule: name, result: 'true', outcome, why: rule.when.text };
  });
  // Scripts have what people read below: with no rule of this kind too.
  const none = { rule: null, result: null, outcome, why: reason };
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

const AGREEMENTS = ['disagrees', 'agrees', 'held', 'not_replayed'] as const;

const judge = (decided: string, { outcome, rule, why }: RuleDecision): (typeof AGREEMENTS)[number] => {
  if (outcome === 'hold') return rule !== undefined && why !== undefined ? 'not_replayed' : 'held';
  return (outcome === 'approve') === (decided === decisions.approve.to) ? 'agrees' : 'disagrees';
};

/** `--backtest`: what the rules would have decided beside what people did; disagreements first. Only reads. */
const backtestRules = async (
  context: Context,
  rules: readonly Rule[],
  { kinds, userIds }: InboxFilter,
  period: string,
): Promise<void> => {
  const { api, lists, clock, watch, output } = context;
  const filter = { userIds, ...parsePeriod(period, () => getToday(clock.now(), context.timeZone())) };
  const states = [decisions.approve.to, decisions.reject.to] as const;
  const asked = kinds.filter((kind) => rules.some((rule) => rule.kind === kind));
  const read = async () => {
    const found = asked.flatMap((kind) =>
      states.map(async (state) => {
        const rows = await lists.rows(listInState(api, kind, state, filter));
        return rows.filter(({ status }) => status === state).map((row) => toInboxItem(kind, row));
      }),
    );
    const items = (await Promise.all(found)).flat();
    // Nothing that waits now did so then.
    const scope = { complete: INBOX_KINDS, waiting: [], thorough: true, past: true };
    return ruleItems(context, rules, await loadPending(context, items, scope));
  };
  const ruled = await watch.during(() => 'reading what was decided', read);
  const judged = ruled.map((one) => {
    const decided = toText(one.pending.item.record.status);
    return { ...one, decided, agreement: judge(decided, one.decision) };
  });
  judged.sort((a, b) => AGREEMENTS.indexOf(a.agreement) - AGREEMENTS.indexOf(b.agreement));
  const judgements = judged.map(({ decided, agreement }) => ({ decided, agreement }));
  await printRuled(context, judged, 'Nothing was decided in this period.', judgements);
  const count = (one: string) => judged.filter(({ agreement }) => agreement === one).length;
  output.note(
    `Agree: ${count('agrees')}, disagree: ${count('disagrees')}, held: ${count('held')}, cannot be replayed: ${count('not_replayed')}.`,
  );
  if (count('disagrees') > 0) context.exit(EXIT.found);
};

const DECISIONS = { verb: ['decide', 'decided'], noun: ['request', 'requests'] } as const;

/** @throws UsageError for flags that contradict each other, or would send an unknown number of decisions */
const checkOptions = (context: Context, options: Options): void => {
  const { yes, dryRun } = context.settings;
  const { rules, explain, backtest, plan, maxChanges } = options;
  if (rules === undefined)
    throw new UsageError('missing --rules', {
      code: 'missing_value',
      hint: 'For example: ttctl inbox decide --rules rules.json',
    });
  const reading = [
    ...(explain === undefined ? [] : ['--explain']),
    ...(backtest === undefined ? [] : ['--backtest']),
  ];
  if (reading.length > 1) throw new UsageError('--explain cannot be used with --backtest');
  if (reading.length > 0 && (yes.value || plan !== undefined))
    throw new UsageError(`${reading[0]} only reads: it cannot be used with --yes or --plan`);
  if (yes.value && plan === undefined && maxChanges === undefined && !dryRun.value)
    throw new UsageError('--yes needs --max-changes', {
      hint: 'Say how many decisions there may be at most: --yes --max-changes 100',
    });
  checkCount(DECISIONS, 0, options);
  wantsExitCode(context, options);
  if (yes.value) checkWritable(context);
};

/**
 * @throws UsageError for rules and flags that are wrong, before anything is asked; Failure (exit 8) at the end, when a
 *   part of the inbox could not be read; as `writeChanges`
 */
export const runRules = async (context: Context, filter: InboxFilter, options: Options): Promise<void> => {
  const { settings, watch, output } = context;
  checkOptions(context, options);
  const rules = await readRules(context, String(options.rules));
  if (options.backtest !== undefined) return backtestRules(context, rules, filter, String(options.backtest));
  const { inbox, ruled } = await watch.during(
    () => 'reading the inbox',
    async () => {
      const found = await loadInbox(context, filter);
      const scope = { complete: found.complete, thorough: true };
      const pending = await loadPending(context, found.items, scope);
      return { inbox: found, ruled: await ruleItems(context, rules, pending) };
    },
  );
  for (const missing of inbox.missing) output.warn(describeUnread(missing));
  for (const text of inbox.oddStates) output.warn(text);
  const count = (outcome: string) => ruled.filter(({ decision }) => decision.outcome === outcome).length;
  const counts = `${count('approve')} to approve, ${count('reject')} to reject, ${count('hold')} held.`;
  if (options.explain !== undefined) {
    await explainDecision(context, findRuled(context, ruled, String(options.explain)));
  } else if (options.plan !== undefined || settings.yes.value || settings.dryRun.value) {
    const choices = ruled.flatMap(({ pending, decision }): readonly ReviewDecision[] => {
      const key = getItemKey(pending.item);
      if (decision.outcome === 'hold') return [];
      if (decision.outcome === 'approve') return [{ key, verdict: 'approve' }];
      return [{ key, verdict: 'reject', reason: getReason(decision) ?? '' }];
    });
    const pending = ruled.map((one) => one.pending);
    const changes = buildChanges(context, pending, choices);
    checkCount(DECISIONS, changes.length, options);
    output.note(counts);
    await writeChanges(context, { ...DECISIONS, changes, exitCode: wantsExitCode(context, options) });
  } else {
    await printRuled(context, ruled, 'Nothing is waiting for a decision.');
    output.note(`${counts} Nothing was sent.`);
  }
  requireAllRead('the inbox', inbox.missing);
};
