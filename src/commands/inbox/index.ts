import { pickSeen } from '../../changes/look.ts';
import { writeChanges } from '../../changes/write.ts';
import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import { filterInParts } from '../../clock.ts';
import { createEvidenceLoader } from '../../decide/evidence.ts';
import { formatCount, getItemKey } from '../../decide/item.ts';
import {
  describeUnread,
  type InboxFilter,
  isUnfiltered,
  loadInbox,
  loadPending,
  requireAllRead,
} from '../../decide/load.ts';
import { getInboxFields, toConditionRow } from '../../decide/rules.ts';
import { safeName } from '../../output/safe-text.ts';
import { compileCondition, describeUndecided } from '../../query/condition.ts';
import { Undecided } from '../../query/run.ts';
import type { Run } from '../../run.ts';
import type { askReview } from '../../screen/review.ts';
import { groupFlags, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { inboxDecide } from './decide.ts';
import { buildChanges, getDisplay, toReviewItem, toSafeEvidence } from './items.ts';
import {
  inboxFields,
  inboxFilters,
  inboxRowFields,
  printItems,
  readInboxFilter,
  tellUnread,
  toInboxRow,
} from './rows.ts';

/** `ttctl inbox`: all that waits for a decision; on a terminal a screen to decide on it. */
export function inbox(noun: Noun): Command {
  return defineCommand({
    ...noun,
    commands: [inboxDecide],
    examples: [
      'ttctl inbox',
      'ttctl inbox --kind timesheet,leave --period last-week',
      "ttctl inbox --where 'warnings != `[]`' --output json",
      'ttctl inbox --kind timesheet --output ids',
      'ttctl inbox --group-by member --sum hours',
    ],
    more: [
      {
        title: 'Drafts',
        text: 'If you quit, press Ctrl-C or lose the connection, your decisions are kept on this machine. The next ttctl inbox begins with them, without those whose request is no longer waiting or has changed.',
      },
      {
        title: 'Undo',
        text: 'A decision that was sent cannot be undone: the API cannot reverse it. A plan that somebody else can look at first is made by inbox decide --plan, and by approve and reject with --plan.',
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
      { name: 'discard-draft', about: 'forget the decisions that were not sent', unsafe: true },
    ],
    run: (context, { values, options }) => showInbox(context, values, options),
  });
}

type Options = Readonly<Record<string, unknown>>;

/** @throws Failure (exit 8) at the end, when a part of it could not be read */
async function showInbox(run: Run, values: Options, options: Options): Promise<void> {
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

/** A screen to choose on, then one run of several operations. */
async function review(
  run: Run,
  ask: typeof askReview,
  { inbox: { missing, oddStates }, pending, total, isComplete }: Awaited<ReturnType<typeof load>>,
): Promise<void> {
  const { output, watch, commandLine, clock } = run;
  const display = getDisplay(run);
  const byKey = new Map(pending.map((one) => [getItemKey(one.item), one]));
  const loadEvidence = createEvidenceLoader(run, pending);
  const again = commandLine`ttctl inbox`;
  const { choices, finish } = await ask(run, {
    items: pending.map((one) => toReviewItem(one, display)),
    warnings: [...missing.map(describeUnread), ...oddStates].map((text) => safeName(text)),
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
      const undecided = total - choices.length;
      if (done.length < choices.length) return `See what is still waiting: ${again}`;
      if (undecided > 0) return `${undecided} still waiting: ${again}`;
      return isComplete ? 'Nothing is waiting any more.' : `See what is still waiting: ${again}`;
    },
  });
  finish();
}
