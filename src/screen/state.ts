import type { ReviewDecision, ReviewItem } from '../review.ts';

/** What a review is at one moment, and what can be done in it. Pure: `keys.ts` says which key does what, `frame.ts` shows it. */

/** `skip`: seen, and left as it is. */
export type Decision =
  | { readonly verdict: 'approve' }
  | { readonly verdict: 'reject'; readonly reason: string }
  | { readonly verdict: 'skip' };

type Mode = 'draft' | 'list' | 'detail' | 'filter' | 'reason' | 'summary' | 'plan' | 'help';

/** What was chosen before and not sent. */
export interface OfferedDraft {
  /** Of the items that are as they were. */
  readonly decisions: ReadonlyMap<string, Decision>;
  /** `12 min ago` */
  readonly saved: string;
  /** A line for each decision that holds no longer, and why. Sanitised. */
  readonly gone: readonly string[];
}

/** What `u` goes back to. */
interface UndoStep {
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly selected: ReadonlySet<string>;
  readonly currentKey: string | undefined;
}

export interface State extends UndoStep {
  /** Sanitised. */
  readonly items: readonly ReviewItem[];
  /** What a filter is looked for in, by key of the item. */
  readonly searchTexts: Map<string, string>;
  /** The widest text of a column over all items, by what makes the text: measured when it is first drawn. */
  readonly columnWidths: Map<(item: ReviewItem) => string, number>;
  /** Reasons that were given before, the latest first. */
  readonly recent: readonly string[];
  /** Offered until it is accepted or discarded. */
  readonly draft: OfferedDraft | undefined;
  /** The last is undone first. */
  readonly undoSteps: readonly UndoStep[];
  /** Words that an item must have. */
  readonly filter: string;
  readonly mode: Mode;
  /** What is being typed: a filter, a reason, the file of a plan. */
  readonly input: string;
  /** Keys of the items that a reason is asked for. */
  readonly targets: readonly string[];
  /** Where a question or a page goes back to. */
  readonly back: 'list' | 'detail';
  /** The recent reason that stands in the input. */
  readonly recentIndex: number | undefined;
  /** Lines that are scrolled away at the top of a page. */
  readonly scroll: number;
  /** What the last key led to, where the screen does not show it. */
  readonly message: string;
  /** What comes now is pasted. */
  readonly isPasting: boolean;
  /** Enter that would end a text or send, until no key has come for a while: in a burst it is a line of a paste. */
  readonly heldEnter: 'alone' | 'in-burst' | undefined;
  /** Whether the decisions to be sent are on the screen, and no key has come for a while: Enter sends only then. */
  readonly isReady: boolean;
  readonly end: 'send' | 'plan' | 'leave' | undefined;
}

/** Without case and accents. */
const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Made once of each item that a filter looks at. */
const getSearchText = ({ searchTexts }: State, item: ReviewItem): string => {
  const { key, who, kind, when, about, note, email } = item;
  const text = searchTexts.get(key) ?? plain([who, kind, when, about, note, email].join('\n'));
  searchTexts.set(key, text);
  return text;
};

export const createReviewState = (
  items: readonly ReviewItem[],
  recent: readonly string[],
  draft?: OfferedDraft,
): State => ({
  items,
  searchTexts: new Map(),
  columnWidths: new Map(),
  recent,
  currentKey: items[0]?.key,
  decisions: draft?.decisions ?? new Map(),
  draft,
  selected: new Set(),
  undoSteps: [],
  filter: '',
  mode: draft === undefined ? 'list' : 'draft',
  input: '',
  targets: [],
  back: 'list',
  recentIndex: undefined,
  scroll: 0,
  message: '',
  isPasting: false,
  heldEnter: undefined,
  isReady: false,
  end: undefined,
});

/** The screen once more, after what it led to came to nothing: all is as it was left. */
export const reopenReview = (state: State, message: string): State => ({
  ...state,
  mode: 'list',
  input: '',
  end: undefined,
  scroll: 0,
  message,
});

/** The filter that counts: while one is typed, what is typed. */
export const getFilter = ({ mode, input, filter }: State): string => (mode === 'filter' ? input : filter);

/** The items that have all words of the filter. */
export const listVisible = (state: State): readonly ReviewItem[] => {
  const words = plain(getFilter(state)).split(/\s+/).filter(Boolean);
  if (words.length === 0) return state.items;
  return state.items.filter((item) => words.every((word) => getSearchText(state, item).includes(word)));
};

export const getCurrent = (state: State): ReviewItem | undefined =>
  listVisible(state).find(({ key }) => key === state.currentKey);

/** What would be sent, in the order of the items. */
export const listDecisions = ({
  items,
  decisions,
}: Pick<State, 'items' | 'decisions'>): readonly ReviewDecision[] =>
  items.flatMap(({ key }): readonly ReviewDecision[] => {
    const decision = decisions.get(key);
    return decision === undefined || decision.verdict === 'skip' ? [] : [{ key, ...decision }];
  });

/** `7 decisions`: those that would be sent. */
export const decisionCount = (state: State): string => {
  const { length } = listDecisions(state);
  return length === 1 ? '1 decision' : `${length} decisions`;
};

/** The first visible item where the current one is hidden now. */
export const keepCursorVisible = (state: State): State => {
  const visible = listVisible(state);
  if (visible.some(({ key }) => key === state.currentKey)) return state;
  return { ...state, currentKey: visible[0]?.key };
};

/** @param by items; out of range is the first or the last */
export const moveCursor = (state: State, by: number): State => {
  const visible = listVisible(state);
  const from = visible.findIndex(({ key }) => key === state.currentKey);
  const to = Math.max(0, Math.min(visible.length - 1, from + by));
  return { ...state, currentKey: visible[to]?.key, scroll: 0 };
};

/** What a decision is for: the selected items that are shown, else the current one. */
export const listDecisionTargets = (state: State): readonly string[] => {
  const keys = listVisible(state).map(({ key }) => key);
  const selected = keys.filter((key) => state.selected.has(key));
  if (selected.length > 0 && state.mode !== 'detail') return selected;
  return keys.filter((key) => key === state.currentKey);
};

/** Keeps the state for `u`. */
const pushUndoStep = ({ decisions, selected, currentKey, undoSteps }: State): State['undoSteps'] => [
  ...undoSteps,
  { decisions, selected, currentKey },
];

/** `''` while something is left to review. */
const formatReviewEnd = (state: State): string => {
  if (state.decisions.size < state.items.length) return '';
  return listDecisions(state).length === 0 ? 'Nothing left to review.' : 'All reviewed. Press S to continue.';
};

/** A decision alone goes on to the next item; one on several stays where it is. */
export const decide = (state: State, keys: readonly string[], decision: Decision): State => {
  if (keys.length === 0) return state;
  const decisions = new Map(state.decisions);
  const selected = new Set(state.selected);
  for (const key of keys) {
    decisions.set(key, decision);
    selected.delete(key);
  }
  const decided = { ...state, decisions, selected, undoSteps: pushUndoStep(state) };
  const next = { ...decided, message: formatReviewEnd(decided) };
  return keys.length === 1 && keys[0] === state.currentKey ? moveCursor(next, 1) : next;
};

const VERDICT_NOUNS = { approve: 'approval', reject: 'rejection', skip: 'skipping' } as const;

type DecidedItems = readonly (readonly [item: ReviewItem, decision: Decision])[];

/** What the last choice decided, in the order of the items. */
const listChanged = ({ items, decisions }: State, before: State['decisions']): DecidedItems =>
  items.flatMap((item) => {
    const decision = decisions.get(item.key);
    return decision === undefined || decision === before.get(item.key) ? [] : [[item, decision] as const];
  });

const describeDecisions = (changed: DecidedItems): string => {
  const [first] = changed;
  if (first === undefined) return 'the last decision';
  const [{ who }, { verdict }] = first;
  return `${VERDICT_NOUNS[verdict]} of ${changed.length === 1 ? who : changed.length}`;
};

/** To what was undone: a filter that hides all of it is taken away. */
const moveToUndone = (state: State, changed: DecidedItems): State => {
  const undone = new Set(changed.map(([{ key }]) => key));
  const listShown = (shown: State) => listVisible(shown).flatMap(({ key }) => (undone.has(key) ? key : []));
  const unfiltered = listShown(state).length > 0 ? state : { ...state, filter: '' };
  const keys = listShown(unfiltered);
  return { ...unfiltered, currentKey: keys.find((key) => key === state.currentKey) ?? keys[0], scroll: 0 };
};

export const undoLast = (state: State): State => {
  const last = state.undoSteps.at(-1);
  if (last === undefined) return { ...state, message: 'Nothing to undo.' };
  const changed = listChanged(state, last.decisions);
  const message = `Undone: ${describeDecisions(changed)}.`;
  return keepCursorVisible(
    moveToUndone({ ...state, ...last, undoSteps: state.undoSteps.slice(0, -1), message }, changed),
  );
};

export const toggleSelection = (state: State): State => {
  if (state.currentKey === undefined) return state;
  const selected = new Set(state.selected);
  if (!selected.delete(state.currentKey)) selected.add(state.currentKey);
  return moveCursor({ ...state, selected }, 1);
};

/** All that are shown; once more: none of them. */
export const toggleAll = (state: State): State => {
  const keys = listVisible(state).map(({ key }) => key);
  const selected = new Set(state.selected);
  const add = keys.some((key) => !selected.has(key));
  for (const key of keys) {
    if (add) selected.add(key);
    else selected.delete(key);
  }
  return { ...state, selected };
};

/** Takes away what narrows the list: first the selection, then the filter. */
export const clearSelectionOrFilter = (state: State): State =>
  state.selected.size > 0 ? { ...state, selected: new Set() } : keepCursorVisible({ ...state, filter: '' });

/** What is typed next narrows the list. */
export const askFilter = (state: State): State =>
  keepCursorVisible({ ...state, mode: 'filter', back: 'list', input: '' });

/** To the next item below that has a warning, from the last on to the first. */
export const goToNextWarning = (state: State): State => {
  const visible = listVisible(state);
  const at = visible.findIndex(({ key }) => key === state.currentKey);
  const next = [...visible.slice(at + 1), ...visible.slice(0, at + 1)].find(
    ({ warnings }) => warnings.length > 0,
  );
  if (next === undefined) return { ...state, message: 'No warnings.' };
  return { ...state, currentKey: next.key, scroll: 0 };
};

export const askReason = (state: State): State => {
  const targets = listDecisionTargets(state);
  if (targets.length === 0) return state;
  const back = state.mode === 'detail' ? 'detail' : 'list';
  return { ...state, mode: 'reason', back, targets, input: '', recentIndex: undefined };
};

export const giveReason = (state: State): State => {
  const reason = state.input.trim();
  if (reason === '') return { ...state, message: 'Enter a reason. The member will see it.' };
  const { targets, back } = state;
  return decide({ ...state, mode: back, input: '', targets: [] }, targets, { verdict: 'reject', reason });
};

/** @param by 1: an older reason; -1: a later one */
export const pickReason = (state: State, by: number): State => {
  const { recent, recentIndex = -1 } = state;
  const to = Math.max(0, Math.min(recent.length - 1, recentIndex + by));
  const input = recent[to];
  return input === undefined ? state : { ...state, recentIndex: to, input };
};

/** To what would be sent, to be looked at. */
export const showSummary = (state: State): State =>
  listDecisions(state).length === 0
    ? { ...state, message: 'Nothing is decided yet. Press a to approve, r to reject.' }
    : { ...state, mode: 'summary', back: 'list', scroll: 0, isReady: false };

/** What is suggested as the file of a plan. */
const PLAN_FILE = 'inbox-plan.ndjson';

/** For a file that the decisions go to, in place of the service. */
export const askPlanFile = (state: State): State => ({ ...state, mode: 'plan', input: PLAN_FILE });

export const givePlanFile = (state: State): State => {
  const input = state.input.trim();
  if (input === '' || input === '-') return { ...state, message: 'Enter the name of a file.' };
  return { ...state, input, end: 'plan' };
};

/** To the list, with what was chosen before or without. */
export const answerDraft = (state: State, isAccepted: boolean): State => {
  const { draft, ...others } = state;
  const kept = listDecisions(state).length;
  if (isAccepted) return { ...others, draft: undefined, mode: 'list', scroll: 0 };
  const message = kept === 0 ? '' : 'Draft discarded.';
  return { ...others, draft: undefined, decisions: new Map(), mode: 'list', scroll: 0, message };
};
