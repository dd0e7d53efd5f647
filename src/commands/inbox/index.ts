import { APPROVED, REJECTED } from '../../api/fields.ts';
import { type Row, toPages } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { readText } from '../../changes/input/files.ts';
import { pickSeen } from '../../changes/look.ts';
import { checkCount } from '../../changes/select.ts';
import { checkWritable, wantsExitCode, writeChanges } from '../../changes/write.ts';
import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import { filterInParts, takeTurn } from '../../clock.ts';
import { createEvidenceLoader } from '../../decide/evidence.ts';
import { FINAL, formatCount, getItemKey, INBOX_KINDS, toInboxItem } from '../../decide/item.ts';
import {
  describeUnread,
  type InboxFilter,
  isUnfiltered,
  listInState,
  loadInbox,
  loadPending,
  type PendingItem,
  requireAllRead,
} from '../../decide/load.ts';
import {
  decideByRules,
  getInboxFields,
  type Rule,
  type RuleDecision,
  readRules,
  toConditionRow,
} from '../../decide/rules.ts';
import { EXIT, Failure, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { safeName } from '../../output/safe-text.ts';
import { getToday, parsePeriod } from '../../parsing/calendar.ts';
import { compileCondition, describeUndecided } from '../../query/condition.ts';
import { Undecided } from '../../query/run.ts';
import type { Run } from '../../run.ts';
import type { askReview } from '../../screen/review.ts';
import type { ReviewDecision } from '../../screen/state.ts';
import { exitCodeFlag, groupFlags, historyFlag, maxChangesFlag, planFlags, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import {
  buildChanges,
  getDisplay,
  inboxFields,
  inboxFilters,
  inboxRowFields,
  printItems,
  readInboxFilter,
  tellUnread,
  toInboxRow,
  toReviewItem,
  toSafeEvidence,
} from './items.ts';

export function inbox(noun: Noun): Command {
  return defineCommand({
    ...noun,
    commands: [inboxDecide],
    examples: [
      'ttctl inbox',
      'ttctl inbox --kind timesheet,leave --period last-week',
      "ttctl inbox --where 'warnings != `[]`' --output json",
    ],
    more: [
      {
        title: 'Drafts',
        text: 'If you quit or lose the connection, your decisions are kept on this machine. The next ttctl inbox begins with them, without those whose request has changed.',
      },
      {
        title: 'Undo',
        text: 'Decisions cannot be undone. To have somebody else look first, make a plan: inbox decide --plan, or approve and reject with --plan.',
      },
    ],
    writes: true,
    prints: { shape: 'list', fields: inboxFields },
    exits: [...SERVICE_EXITS, 8, 9],
    flags: [
      ...groupFlags,
      ...inboxFilters,
      { name: 'limit', value: 'n', about: 'at most <n> rows, oldest first' },
      zoneFlag,
      { name: 'discard-draft', about: 'discard the draft', unsafe: true },
    ],
    run: (run, { values, options }) => showInbox(run, values, options),
  });
}

/** @throws Failure (exit 8) at the end, when a part of it could not be read */
async function showInbox(run: Run, values: Values, options: Values): Promise<void> {
  const { settings, prompter, machine, watch, output, names } = run;
  const openScreen = () => import('../../screen/review.ts');
  if (options.discardDraft === true) {
    const count = (await openScreen()).discardDraft(run);
    output.note(
      count === 0 ? 'There was no draft.' : `Draft of ${formatCount(count, 'decision')} discarded.`,
    );
  }
  const filter = readInboxFilter(values);
  const where = options.where === undefined ? undefined : String(options.where);
  // A terminal that the screen can be drawn on, and nothing that asks for a list.
  const { output: format, columns, sort, query } = settings;
  const isPlain =
    format.value.shape === 'screen' && !columns && !sort && !query && options.groupBy === undefined;
  const canReview = isPlain && prompter.available && machine.stdout.isTTY && machine.env.TERM !== 'dumb';
  const loading = watch.during(
    () => 'reading the inbox',
    () => load(run, filter, where),
  );
  // Loaded while the answers are on their way.
  const [loaded, screen] = await Promise.all([loading, canReview ? openScreen() : undefined]);
  const { inbox: found, pending, total } = loaded;
  tellUnread(run, found);
  const emptyMessage = isUnfiltered(filter)
    ? 'Nothing is waiting for a decision.'
    : 'No matching request is waiting for a decision.';
  const obstacle = pending.length === 0 ? undefined : await screen?.findObstacle(run);
  if (obstacle !== undefined) output.note(`View only: ${obstacle}`);
  if (screen !== undefined && pending.length === 0) output.note(emptyMessage);
  else if (screen !== undefined && obstacle === undefined) await review(run, screen.askReview, loaded);
  else {
    const rows = pending.map((one) => toInboxRow(one, names));
    await printItems(run, pending, rows, emptyMessage, { total });
  }
  requireAllRead('the inbox', found.missing);
}

/** @returns those that are meant, and how many of them there are, `--limit` aside */
async function load(run: Run, filter: InboxFilter, where: string | undefined) {
  const { names, output, window } = run;
  const source = { where: '--where', fields: getInboxFields(inboxRowFields), closed: true } as const;
  const condition = where === undefined ? undefined : await compileCondition(where, source);
  const found = await loadInbox(run, filter);
  const { complete, items: waiting } = found;
  const items = condition === undefined ? waiting.slice(0, window.limit) : waiting;
  const pending = await loadPending(run, items, { complete, waiting });
  // Whether no filter, and no list that is missing, keeps anything that waits from being among them.
  const isComplete = isUnfiltered(filter) && found.missing.length === 0;
  if (condition === undefined) return { inbox: found, pending, total: waiting.length, isComplete };
  const undecided: string[] = [];
  const chosen = await filterInParts(pending, (one) => {
    const verdict = condition.test(toConditionRow(one, names, toInboxRow(one, names)));
    if (verdict instanceof Undecided) undecided.push(verdict.message);
    return verdict === true;
  });
  if (undecided.length > 0) output.warn(describeUndecided('--where', undecided.length, undecided));
  const shown = chosen.slice(0, window.limit);
  return { inbox: found, pending: shown, total: shown.length, isComplete: false };
}

async function review(
  run: Run,
  ask: typeof askReview,
  { inbox: found, pending, total, isComplete }: Awaited<ReturnType<typeof load>>,
): Promise<void> {
  const { output, watch, commandLine, clock } = run;
  const display = getDisplay(run);
  // The screen counts them all; they are found out here, where a signal can end it.
  await filterInParts(pending, ({ warnings }) => warnings.length > 0);
  const byKey = new Map(pending.map((one) => [getItemKey(one.item), one]));
  const loadEvidence = createEvidenceLoader(run, pending, found);
  const again = commandLine`ttctl inbox`;
  const { choices, finish } = await ask(run, {
    items: pending.map((one) => toReviewItem(one, display)),
    warnings: [...found.missing.map(describeUnread), ...found.oddStates].map((text) => safeName(text)),
    again,
    isWhole: isComplete && pending.length === total,
    evidence: async (key) => {
      const one = byKey.get(key);
      if (one === undefined) return [];
      // Within work, so that a wait for the rate limit is not written over the screen.
      return watch.during(
        () => 'reading the inbox',
        async () => toSafeEvidence(await loadEvidence(one)),
      );
    },
  });
  if (choices.length === 0) return output.note(`Nothing was decided. ${total} still waiting.`);
  const changes = buildChanges(run, pending, choices);
  for (const change of changes) change.seen = pickSeen(change.call.operation.id, { record: change.before });
  await writeChanges(run, {
    verb: ['decide', 'decided'],
    noun: ['request', 'requests'],
    changes,
    seenAt: clock.now(),
    formatSummary: (done) => {
      // As far as is known: others may have decided on some of it meanwhile.
      const undecided = total - done.length;
      if (undecided > 0 && done.length === choices.length) return `${undecided} still waiting: ${again}`;
      return undecided === 0 && isComplete
        ? 'Nothing is waiting any more.'
        : `See what is still waiting: ${again}`;
    },
  });
  finish();
}

const inboxDecide = defineCommand({
  path: 'inbox decide',
  about: 'decide by rules; without --yes or --plan, show what they would decide',
  examples: [
    'ttctl inbox decide --rules rules.json --plan decisions.ndjson',
    'ttctl inbox decide --rules rules.json --explain samir@example.com',
    'ttctl inbox decide --rules rules.json --backtest last-month',
  ],
  more: [
    {
      title: 'Rules',
      text: 'A JSON array of { "name", "kind", "when", "then", "reason" }. Kinds: timesheet, leave, time-request. "then" is approve, reject (needs a "reason") or hold. "when" is a JMESPath condition on the record and on member, policy, project and warnings, as for --where. The first rule of that kind whose condition is true decides. A request is held if no rule matches, or if a condition is undecided because data is missing. Decisions cannot be undone: with --plan somebody else can look first.',
    },
    {
      title: 'Backtest',
      text: 'The rules see the records as they are today. How much leave was left then is not known: rules that use warnings cannot be replayed on leave from a policy with a balance.',
    },
  ],
  writes: true,
  prints: {
    shape: 'list',
    fields: [
      ...inboxFields,
      ...'outcome rule reason why decided agreement result decision because'.split(' '),
    ],
  },
  exits: [...SERVICE_EXITS, 8, 9, 10],
  flags: [
    { name: 'rules', value: 'file', about: 'the rules, a JSON file (- for stdin); required', needed: {} },
    ...inboxFilters,
    { name: 'explain', value: 'id', about: 'show how the rules decide on one request (id, or its member)' },
    { name: 'backtest', value: 'period', about: 'compare with what people decided (exit 10 if it differs)' },
    ...planFlags,
    maxChangesFlag,
    exitCodeFlag,
    historyFlag,
    zoneFlag,
  ],
  run: (run, { values, options }) => decide(run, readInboxFilter(values), options),
});

const DECISIONS = { verb: ['decide', 'decided'], noun: ['request', 'requests'] } as const;

/** Something that waits, and what the rules say of it; in a backtest also what people decided. */
interface Ruled extends RuleDecision {
  readonly pending: PendingItem;
  readonly judgement?: { readonly decided: string; readonly agreement: Agreement };
}

async function decide(run: Run, filter: InboxFilter, options: Values): Promise<void> {
  const { machine, watch, output, settings } = run;
  const [yes, dryRun] = [settings.yes.value, settings.dryRun.value];
  const { explain: target, backtest: period, plan, maxChanges } = options;
  const file = String(options.rules);
  const reading = target === undefined ? period && '--backtest' : '--explain';
  if (target !== undefined && period !== undefined)
    throw new UsageError('--explain cannot be used with --backtest');
  if (reading !== undefined && (yes || plan !== undefined))
    throw new UsageError(`${reading} only reads: it cannot be used with --yes or --plan`);
  if (yes && plan === undefined && maxChanges === undefined && !dryRun)
    throw new UsageError('--yes needs --max-changes', {
      hint: 'Say how many decisions there may be at most: --yes --max-changes 100',
    });
  checkCount(DECISIONS, 0, options);
  const exitCode = wantsExitCode(run, options);
  if (yes) checkWritable(run);
  const rules = await readRules(file === '-' ? 'stdin' : file, await readText(machine, file));
  if (period !== undefined) return backtest(run, rules, filter, String(period));
  const { inbox, ruled } = await watch.during(
    () => 'reading the inbox',
    async () => {
      const found = await loadInbox(run, filter);
      const pending = await loadPending(run, found.items, { complete: found.complete });
      return { inbox: found, ruled: await applyRules(run, rules, pending) };
    },
  );
  tellUnread(run, inbox);
  const count = (wanted: string) => ruled.filter(({ outcome }) => outcome === wanted).length;
  const counts = `${count('approve')} to approve, ${count('reject')} to reject, ${count('hold')} held.`;
  if (target !== undefined) await explain(run, rules, findRuled(run, ruled, String(target)));
  else if (plan !== undefined || yes || dryRun) {
    const choices = ruled.flatMap(({ pending, outcome, rule }): readonly ReviewDecision[] => {
      const reason = outcome === 'reject' ? { reason: rule?.reason ?? '' } : {};
      return outcome === 'hold' ? [] : [{ key: getItemKey(pending.item), verdict: outcome, ...reason }];
    });
    const changes = buildChanges(
      run,
      ruled.map(({ pending }) => pending),
      choices,
    );
    checkCount(DECISIONS, changes.length, options);
    output.note(dryRun && plan === undefined ? `${counts} ${FINAL}` : counts);
    await writeChanges(run, { ...DECISIONS, changes, exitCode });
  } else {
    await printRuled(run, ruled, 'Nothing is waiting for a decision.', ['outcome']);
    output.note(`${counts} Nothing was sent.`);
  }
  requireAllRead('the inbox', inbox.missing);
}

async function applyRules({ names }: Run, rules: readonly Rule[], all: readonly PendingItem[]) {
  const ruled: Ruled[] = [];
  for (const pending of all) {
    await takeTurn();
    ruled.push({ pending, ...decideByRules(rules, pending.item.kind, toConditionRow(pending, names)) });
  }
  return ruled;
}

function printRuled(run: Run, ruled: readonly Ruled[], emptyMessage: string, states: readonly string[]) {
  const rows = ruled.map(({ pending, outcome, rule, why = null, judgement }) => {
    const reason = (outcome === rule?.outcome ? rule.reason : undefined) ?? null;
    const own = toInboxRow(pending, run.names);
    return { ...own, outcome, rule: rule?.name ?? null, reason, why, ...judgement };
  });
  const columns = [
    ...['member', 'kind'],
    ...states.map((field) => ({ field, kind: 'state' as const })),
    ...['period', 'hours', 'days', 'date_from', 'date_to'],
    { field: 'rule', least: 14 },
    { field: 'why', sparse: true, least: 16, drop: 2 } as const,
    'id',
  ];
  const all = ruled.map(({ pending }) => pending);
  return printItems(run, all, rows, emptyMessage, { columns });
}

/** By its id; by the address or the name of its member. @throws Failure, UsageError */
function findRuled({ names }: Run, ruled: readonly Ruled[], text: string): Ruled {
  const wanted = text.trim().toLowerCase();
  const [one, ...others] = ruled.filter(({ pending: { item, around } }) => {
    const words = [item.id, around.member?.email, names.member.of(item.userId), item.memberName];
    return words.some((word) => toText(word ?? '').toLowerCase() === wanted);
  });
  const facts = { code: 'not_found', exit: EXIT.notFound } as const;
  if (one === undefined) throw new Failure(`no request "${text}" is waiting for a decision`, facts);
  if (others.length === 0) return one;
  const ids = [one, ...others].map(({ pending }) => pending.item.id);
  const hint = `Name one by its id: ${ids.join(', ')}`;
  throw new UsageError(`"${text}" has ${ids.length} requests that are waiting`, { code: 'ambiguous', hint });
}

const VERDICTS = { approve: 'To approve', reject: 'To reject', hold: 'Held' } as const;

/** `--explain`: a row for each rule that was asked, the one that decides last, with what its condition reads. */
async function explain({ output, names }: Run, rules: readonly Rule[], ruled: Ruled): Promise<void> {
  const { pending, outcome, rule: decider, why } = ruled;
  const row = toConditionRow(pending, names);
  const undecided = why === undefined ? '' : `, which is undecided: ${why}`;
  const because = decider === undefined ? why : `by the rule "${decider.name}"${undecided}`;
  const asked = rules.filter(({ kind }) => kind === pending.item.kind);
  const rows = asked.slice(0, decider && asked.indexOf(decider) + 1).map(({ name, when }): Row => {
    const result = when.test(row);
    const read = [...when.names].map((path) => {
      const [head = '', inner] = path.split('.');
      const value = inner === undefined ? row[head] : (row[head] as Row | null)?.[inner];
      return `${path} is ${toText(value ?? null)}`;
    });
    const values = result === false && read.length > 0 ? ` (${read.join(', ')})` : '';
    return {
      rule: name,
      result: result instanceof Undecided ? 'undecided' : String(result),
      outcome: result === false ? null : outcome,
      why: result instanceof Undecided ? result.message : when.text + values,
    };
  });
  // Scripts have what people read below: with no rule of this kind too.
  const all = rows.length === 0 ? [{ rule: null, result: null, outcome, why }] : rows;
  await output.list(toPages(all.map((one) => ({ ...one, decision: outcome, because }))), {
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
type Agreement = (typeof AGREEMENTS)[number];

/** `--backtest`: what the rules would have decided beside what people did; disagreements first. Only reads. */
async function backtest(run: Run, rules: readonly Rule[], { kinds, userIds }: InboxFilter, period: string) {
  const { api, lists, clock, watch, output } = run;
  const filter = { userIds, ...parsePeriod(period, () => getToday(clock.now(), run.timeZone())) };
  const read = async () => {
    const asked = kinds.filter((kind) => rules.some((rule) => rule.kind === kind));
    const found = asked.flatMap((kind) =>
      [APPROVED, REJECTED].map(async (state) => {
        const rows = await lists.rows(listInState(api, kind, state, filter));
        return rows.filter(({ status }) => status === state).map((row) => toInboxItem(kind, row));
      }),
    );
    // Nothing that waits now did so then.
    const scope = { complete: INBOX_KINDS, waiting: [], past: true };
    return applyRules(run, rules, await loadPending(run, (await Promise.all(found)).flat(), scope));
  };
  const judged = (await watch.during(() => 'reading what was decided', read)).map((one) => {
    const { outcome, rule, why, pending } = one;
    const decided = toText(pending.item.record.status);
    const isSame = (outcome === 'approve') === (decided === APPROVED);
    const held = rule !== undefined && why !== undefined ? 'not_replayed' : 'held';
    const agreement: Agreement = outcome === 'hold' ? held : isSame ? 'agrees' : 'disagrees';
    return { ...one, judgement: { decided, agreement } };
  });
  const groups = AGREEMENTS.map((name) => judged.filter(({ judgement }) => judgement.agreement === name));
  const states = ['agreement', 'decided', 'outcome'];
  await printRuled(run, groups.flat(), 'Nothing was decided in this period.', states);
  const [disagree, agree, held, unknown] = groups.map(({ length }) => length);
  output.note(`Agree: ${agree}, disagree: ${disagree}, held: ${held}, cannot be replayed: ${unknown}.`);
  if (disagree !== 0) run.exit(EXIT.found);
}
