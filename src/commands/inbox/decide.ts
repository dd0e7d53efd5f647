import { APPROVED, REJECTED } from '../../api/fields.ts';
import { type Row, toPages } from '../../api/page.ts';
import { checkCount } from '../../changes/confirm.ts';
import { readText } from '../../changes/input/files.ts';
import { checkWritable, wantsExitCode, writeChanges } from '../../changes/write.ts';
import { defineCommand } from '../../cli/command.ts';
import { takeTurn } from '../../clock.ts';
import { getItemKey, INBOX_KINDS, toInboxItem } from '../../decide/item.ts';
import { requireAllRead } from '../../decide/lists.ts';
import {
  type InboxFilter,
  listInState,
  loadInbox,
  loadPending,
  type PendingItem,
} from '../../decide/load.ts';
import {
  decideByRules,
  type Rule,
  type RuleDecision,
  readRules,
  toConditionRow,
} from '../../decide/rules.ts';
import { formatDays } from '../../decide/text.ts';
import { EXIT, Failure, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { getToday, parsePeriod } from '../../parsing/calendar.ts';
import { Undecided } from '../../query/condition.ts';
import type { Run } from '../../run.ts';
import type { ReviewDecision } from '../../screen/state.ts';
import { exitCodeFlag, historyFlag, maxChangesFlag, periodFlag, planFlag, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { buildChanges } from './items.ts';
import {
  formatMember,
  inboxFields,
  inboxFilters,
  printItems,
  readInboxFilter,
  tellUnread,
  toInboxRow,
} from './rows.ts';

/** Members of a row: what would become of a request, and why; of an explanation. */
const DECISION_FIELDS = [
  ...inboxFields,
  ...['outcome', 'rule', 'reason', 'why', 'decided', 'agreement', 'result', 'decision', 'because'],
];

export const inboxDecide = defineCommand({
  path: 'inbox decide',
  about: 'decide by rules; without --yes or --plan, show what they would decide',
  examples: [
    'ttctl inbox decide --rules rules.json',
    'ttctl inbox decide --rules rules.json --plan decisions.ndjson',
    'ttctl inbox decide --rules rules.json --yes --max-changes 100',
    'ttctl inbox decide --rules rules.json --explain samir@example.com',
    'ttctl inbox decide --rules rules.json --backtest last-month',
  ],
  more: [
    {
      title: 'Rules',
      text: 'A JSON array of { "name", "kind", "when", "then", "reason" }. Kinds: timesheet, leave, time-request. "then" is approve, reject (needs a "reason") or hold. "when" is a JMESPath condition on the record and on member, policy, project and warnings, as for --where. The first rule of that kind whose condition is true decides. A request is held if no rule matches, or if a condition is undecided because data is missing.',
    },
    {
      title: 'Backtest',
      text: 'The rules see the records as they are today. What else was waiting on that day, and how much leave was left, is not known: rules that use warnings cannot be replayed on leave from a policy with a balance.',
    },
    {
      title: 'Undo',
      text: 'A decision that was sent cannot be undone: the API cannot reverse it. With --plan somebody else can look first.',
    },
  ],
  writes: true,
  prints: { shape: 'list', fields: DECISION_FIELDS },
  exits: [...SERVICE_EXITS, 8, 9, 10],
  flags: [
    { name: 'rules', value: 'file', about: 'the rules, a JSON file (- for stdin); required', needed: {} },
    ...inboxFilters,
    { name: 'explain', value: 'id', about: 'show how the rules decide on one request (id, or its member)' },
    {
      name: 'backtest',
      value: 'period',
      about: `compare the rules with what people decided in a ${periodFlag.value} (exit 10 if they disagree)`,
    },
    planFlag,
    maxChangesFlag,
    exitCodeFlag,
    historyFlag,
    zoneFlag,
  ],
  run: (context, { values, options }) => decide(context, readInboxFilter(values), options),
});

type Options = Readonly<Record<string, unknown>>;

const DECISIONS = { verb: ['decide', 'decided'], noun: ['request', 'requests'] } as const;

/**
 * @throws UsageError for rules and flags that are wrong, before anything is asked; Failure (exit 8) at the end, when a
 *   part of the inbox could not be read; as `writeChanges`
 */
async function decide(run: Run, filter: InboxFilter, options: Options): Promise<void> {
  const { machine, settings, watch, output } = run;
  checkOptions(run, options);
  const file = String(options.rules);
  const rules = await readRules(file === '-' ? 'stdin' : file, await readText(machine, file));
  if (options.backtest !== undefined) return backtest(run, rules, filter, String(options.backtest));
  const { inbox, ruled } = await watch.during(
    () => 'reading the inbox',
    async () => {
      const found = await loadInbox(run, filter);
      const scope = { complete: found.complete, thorough: true };
      const pending = await loadPending(run, found.items, scope);
      return { inbox: found, ruled: await applyRules(run, rules, pending) };
    },
  );
  tellUnread(run, inbox);
  const count = (outcome: string) => ruled.filter(({ decision }) => decision.outcome === outcome).length;
  const counts = `${count('approve')} to approve, ${count('reject')} to reject, ${count('hold')} held.`;
  if (options.explain !== undefined) await explain(run, findRuled(run, ruled, String(options.explain)));
  else if (options.plan !== undefined || settings.yes.value || settings.dryRun.value) {
    const choices = ruled.flatMap(({ pending, decision }): readonly ReviewDecision[] => {
      const key = getItemKey(pending.item);
      if (decision.outcome === 'hold') return [];
      if (decision.outcome === 'approve') return [{ key, verdict: 'approve' }];
      return [{ key, verdict: 'reject', reason: decision.rule?.reason ?? '' }];
    });
    const pending = ruled.map((one) => one.pending);
    const changes = buildChanges(run, pending, choices);
    checkCount(DECISIONS, changes.length, options);
    output.note(counts);
    await writeChanges(run, { ...DECISIONS, changes, exitCode: wantsExitCode(run, options) });
  } else {
    await printRuled(run, ruled, 'Nothing is waiting for a decision.');
    output.note(`${counts} Nothing was sent.`);
  }
  requireAllRead('the inbox', inbox.missing);
}

/** @throws UsageError for flags that contradict each other, or would send an unknown number of decisions */
function checkOptions(run: Run, options: Options): void {
  const { yes, dryRun } = run.settings;
  const { rules, explain: target, backtest: period, plan, maxChanges } = options;
  if (rules === undefined)
    throw new UsageError('missing --rules', {
      code: 'missing_value',
      hint: 'For example: ttctl inbox decide --rules rules.json',
    });
  if (target !== undefined && period !== undefined)
    throw new UsageError('--explain cannot be used with --backtest');
  if ((target !== undefined || period !== undefined) && (yes.value || plan !== undefined)) {
    const flag = target === undefined ? '--backtest' : '--explain';
    throw new UsageError(`${flag} only reads: it cannot be used with --yes or --plan`);
  }
  if (yes.value && plan === undefined && maxChanges === undefined && !dryRun.value)
    throw new UsageError('--yes needs --max-changes', {
      hint: 'Say how many decisions there may be at most: --yes --max-changes 100',
    });
  checkCount(DECISIONS, 0, options);
  wantsExitCode(run, options);
  if (yes.value) checkWritable(run);
}

/** Something that waits, and what the rules say of it. */
interface Ruled {
  readonly pending: PendingItem;
  readonly decision: RuleDecision;
}

async function applyRules({ names }: Run, rules: readonly Rule[], all: readonly PendingItem[]) {
  const ruled: Ruled[] = [];
  for (const pending of all) {
    await takeTurn();
    const decision = decideByRules(rules, pending.item.kind, toConditionRow(pending, names));
    ruled.push({ pending, decision });
  }
  return ruled;
}

/** @param judgements of each of them, in a backtest */
async function printRuled(
  run: Run,
  ruled: readonly Ruled[],
  emptyMessage: string,
  judgements?: readonly Row[],
): Promise<void> {
  const rows = ruled.map(({ pending, decision: { outcome, rule, why } }, i) => ({
    ...toInboxRow(pending, run.names),
    outcome,
    rule: rule?.name ?? null,
    reason: (outcome === rule?.outcome ? rule.reason : undefined) ?? null,
    why: why ?? null,
    ...judgements?.[i],
  }));
  const states = judgements === undefined ? ['outcome'] : ['agreement', 'decided', 'outcome'];
  const columns = [
    ...['member', 'kind'],
    ...states.map((field) => ({ field, kind: 'state' as const })),
    ...['period', 'hours', 'days', 'date_from', 'date_to'],
    { field: 'rule', least: 14 },
    { field: 'why', sparse: true, least: 16, drop: 2 } as const,
    'id',
  ];
  const pending = ruled.map((one) => one.pending);
  await printItems(run, pending, { rows, emptyMessage, columns });
}

/** By its id, at a terminal by the beginning of it; by the address or the name of its member. @throws Failure, UsageError */
function findRuled({ names, prompter }: Run, ruled: readonly Ruled[], text: string): Ruled {
  const wanted = text.trim().toLowerCase();
  const isMeant = ({ pending: { item, around } }: Ruled): boolean => {
    const words = [item.id, around.member?.email, names.member.of(item.userId), item.memberName];
    const isBeginning = prompter.available && wanted !== '' && item.id.toLowerCase().startsWith(wanted);
    return isBeginning || words.some((one) => one != null && toText(one).toLowerCase() === wanted);
  };
  const exact = ruled.filter(({ pending }) => pending.item.id === text);
  const found = exact.length > 0 ? exact : ruled.filter(isMeant);
  const [one] = found;
  if (one === undefined)
    throw new Failure(`no request "${text}" is waiting for a decision`, {
      code: 'not_found',
      exit: EXIT.notFound,
    });
  if (found.length === 1) return one;
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
}

const VERDICTS = { approve: 'To approve', reject: 'To reject', hold: 'Held' } as const;

/** `--explain`: a row for each rule that was asked, the one that decides last, with what its condition reads. */
async function explain({ output, names }: Run, { pending, decision }: Ruled): Promise<void> {
  const row = toConditionRow(pending, names);
  const { outcome, rule: decider, why } = decision;
  const undecided = why === undefined ? '' : `, which is undecided: ${why}`;
  const because = decider === undefined ? why : `by the rule "${decider.name}"${undecided}`;
  const describeFalse = ({ when }: Rule): string => {
    const read = [...when.names].map((name) => {
      const [head = '', inner] = name.split('.');
      const value = inner === undefined ? row[head] : (row[head] as Row | null)?.[inner];
      return `${name} is ${toText(value ?? null)}`;
    });
    return read.length === 0 ? when.text : `${when.text} (${read.join(', ')})`;
  };
  const steps = decision.steps.map(({ rule, result }) => {
    const { name, when } = rule;
    if (result instanceof Undecided) return { rule: name, result: 'undecided', outcome, why: result.message };
    if (!result) return { rule: name, result: 'false', outcome: null, why: describeFalse(rule) };
    return { rule: name, result: 'true', outcome, why: when.text };
  });
  // Scripts have what people read below: with no rule of this kind too.
  const none = { rule: null, result: null, outcome, why };
  const rows = (steps.length === 0 ? [none] : steps).map((step) => ({ ...step, decision: outcome, because }));
  await output.list(toPages(rows), {
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
}

const AGREEMENTS = ['disagrees', 'agrees', 'held', 'not_replayed'] as const;

/** `--backtest`: what the rules would have decided beside what people did; disagreements first. Only reads. */
async function backtest(
  run: Run,
  rules: readonly Rule[],
  { kinds, userIds }: InboxFilter,
  period: string,
): Promise<void> {
  const { api, lists, clock, watch, output } = run;
  const filter = { userIds, ...parsePeriod(period, () => getToday(clock.now(), run.timeZone())) };
  const states = [APPROVED, REJECTED] as const;
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
    return applyRules(run, rules, await loadPending(run, items, scope));
  };
  const judged = (await watch.during(() => 'reading what was decided', read)).map((one) => {
    const decided = toText(one.pending.item.record.status);
    return { ...one, decided, agreement: judge(decided, one.decision) };
  });
  judged.sort((a, b) => AGREEMENTS.indexOf(a.agreement) - AGREEMENTS.indexOf(b.agreement));
  const judgements = judged.map(({ decided, agreement }) => ({ decided, agreement }));
  await printRuled(run, judged, 'Nothing was decided in this period.', judgements);
  const count = (one: string) => judged.filter(({ agreement }) => agreement === one).length;
  output.note(
    `Agree: ${count('agrees')}, disagree: ${count('disagrees')}, held: ${count('held')}, cannot be replayed: ${count('not_replayed')}.`,
  );
  if (count('disagrees') > 0) run.exit(EXIT.found);
}

function judge(decided: string, { outcome, rule, why }: RuleDecision): (typeof AGREEMENTS)[number] {
  if (outcome === 'hold') return rule !== undefined && why !== undefined ? 'not_replayed' : 'held';
  return (outcome === 'approve') === (decided === APPROVED) ? 'agrees' : 'disagrees';
}
