import type { Evidence } from '../decide/evidence.ts';

/**
 * What a person reviews at a terminal, what is chosen at one moment, and what can be done in it. Pure: `keys.ts` says
 * which key does what, `frame.ts` shows it.
 */

/** One thing that waits for a decision. Texts are sanitised. */
export interface ReviewItem {
  /** Of its own among all items. */
  readonly key: string;
  /** As `--kind` has it: `timesheet`. */
  readonly kind: string;
  readonly who: string;
  /** Short: `Nov 9–15`. */
  readonly when: string;
  /** Short: `41:30`, `5 d`. */
  readonly amount: string;
  /** How long it has waited, short: `5 d`. */
  readonly waits: string;
  /** What it belongs to: a policy, a project. */
  readonly about: string | undefined;
  readonly note: string | undefined;
  /** What a decision has to heed, a short sentence each. */
  readonly warnings: readonly string[];
  /** Of the member; a filter finds it by this too. */
  readonly email: string;
  /** The same as long as what is decided on is the same. */
  version(): string;
  /** All that is known of it, for people: label and text. */
  facts(): readonly (readonly [label: string, text: string])[];
}

/** What is put before a person. Texts are sanitised. */
export interface Review {
  /** The oldest first. */
  readonly items: readonly ReviewItem[];
  /** What is missing, and why; shown all the time. */
  readonly warnings: readonly string[];
  /** The command line that shows it again. */
  readonly again: string;
  /** Whether all that waits is among the items. */
  readonly isWhole: boolean;
  /** What is known around an item, read when it is first asked for. Ends early at the signal. */
  evidence(key: string, signal: AbortSignal): Promise<Evidence>;
}

/** One decision that is to be sent. */
export type ReviewDecision =
  | { readonly key: string; readonly verdict: 'approve' }
  | { readonly key: string; readonly verdict: 'reject'; readonly reason: string };

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

/** What `u` goes back to, and what it takes back. */
interface UndoStep extends Pick<State, 'decisions' | 'selected' | 'currentKey'> {
  readonly keys: readonly string[];
  readonly verdict: Decision['verdict'];
}

export interface State {
  readonly items: readonly ReviewItem[];
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly selected: ReadonlySet<string>;
  readonly currentKey: string | undefined;
  /** What a filter is looked for in, by key of the item. */
  readonly searchTexts: Map<string, string>;
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
  /** Where a question or a page goes back to. */
  readonly back: 'list' | 'detail';
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

export function createReviewState(
  items: readonly ReviewItem[],
  recent: readonly string[],
  draft?: OfferedDraft,
): State {
  return {
    items,
    decisions: draft?.decisions ?? new Map(),
    selected: new Set(),
    currentKey: items[0]?.key,
    searchTexts: new Map(),
    recent,
    draft,
    undoSteps: [],
    filter: '',
    mode: draft === undefined ? 'list' : 'draft',
    input: '',
    back: 'list',
    scroll: 0,
    message: '',
    isPasting: false,
    heldEnter: undefined,
    isReady: false,
    end: undefined,
  };
}

/** The screen once more, after what it led to came to nothing: all is as it was left. */
export function reopenReview(state: State, message: string): State {
  return { ...state, mode: 'list', input: '', end: undefined, scroll: 0, message };
}

/** The filter that counts: while one is typed, what is typed. */
export function getFilter({ mode, input, filter }: State): string {
  return mode === 'filter' ? input : filter;
}

/** The items that have all words of the filter. */
export function listVisible(state: State): readonly ReviewItem[] {
  const words = plain(getFilter(state)).split(/\s+/).filter(Boolean);
  if (words.length === 0) return state.items;
  return state.items.filter((item) => words.every((word) => getSearchText(state, item).includes(word)));
}

/** Made once of each item that a filter looks at. */
function getSearchText({ searchTexts }: State, item: ReviewItem): string {
  const { key, who, kind, when, about, note, email } = item;
  const text = searchTexts.get(key) ?? plain([who, kind, when, about, note, email].join('\n'));
  searchTexts.set(key, text);
  return text;
}

/** Without case and accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

export function getCurrent(state: State): ReviewItem | undefined {
  return listVisible(state).find(({ key }) => key === state.currentKey);
}

/** What would be sent, in the order of the items. */
export function listDecisions({ items, decisions }: State): readonly ReviewDecision[] {
  return items.flatMap(({ key }): readonly ReviewDecision[] => {
    const decision = decisions.get(key);
    return decision === undefined || decision.verdict === 'skip' ? [] : [{ key, ...decision }];
  });
}

/** The first visible item where the current one is hidden now. */
export function keepCursorVisible(state: State): State {
  return getCurrent(state) === undefined ? { ...state, currentKey: listVisible(state)[0]?.key } : state;
}

/** @param by items; out of range is the first or the last */
export function moveCursor(state: State, by: number): State {
  const visible = listVisible(state);
  const from = visible.findIndex(({ key }) => key === state.currentKey);
  const to = Math.max(0, Math.min(visible.length - 1, from + by));
  return { ...state, currentKey: visible[to]?.key, scroll: 0 };
}

/** What a decision, or the reason that is typed, is for: the selected items that are shown, else the current one. */
export function listTargets(state: State): readonly string[] {
  const keys = listVisible(state).map(({ key }) => key);
  const selected = keys.filter((key) => state.selected.has(key));
  const mode = state.mode === 'reason' ? state.back : state.mode;
  if (selected.length > 0 && mode !== 'detail') return selected;
  return keys.filter((key) => key === state.currentKey);
}

/** A decision alone goes on to the next item; one on several stays where it is. */
export function decide(state: State, keys: readonly string[], decision: Decision): State {
  if (keys.length === 0) return state;
  const { decisions, selected, currentKey } = state;
  const next: State = {
    ...state,
    decisions: new Map([...decisions, ...keys.map((key) => [key, decision] as const)]),
    selected: new Set([...selected].filter((key) => !keys.includes(key))),
    undoSteps: [...state.undoSteps, { decisions, selected, currentKey, keys, verdict: decision.verdict }],
  };
  const isDone = next.decisions.size === next.items.length;
  const left =
    listDecisions(next).length > 0 ? 'All reviewed. Press S to continue.' : 'Nothing left to review.';
  const told = { ...next, message: isDone ? left : '' };
  return keys.length === 1 && keys[0] === currentKey ? moveCursor(told, 1) : told;
}

const VERDICT_NOUNS = { approve: 'approval', reject: 'rejection', skip: 'skipping' } as const;

/** Goes to what was undone: a filter that hides all of it is taken away. */
export function undoLast(state: State): State {
  const last = state.undoSteps.at(-1);
  if (last === undefined) return { ...state, message: 'Nothing to undo.' };
  const { keys, verdict, ...before } = last;
  const who = state.items.find(({ key }) => key === keys[0])?.who;
  const message = `Undone: ${VERDICT_NOUNS[verdict]} of ${keys.length === 1 ? who : keys.length}.`;
  const undone: State = { ...state, ...before, undoSteps: state.undoSteps.slice(0, -1), message, scroll: 0 };
  const findShown = (one: State) => {
    const shown = listVisible(one).flatMap(({ key }) => (keys.includes(key) ? key : []));
    return shown.find((key) => key === one.currentKey) ?? shown[0];
  };
  const currentKey = findShown(undone);
  if (currentKey !== undefined) return { ...undone, currentKey };
  const unfiltered = { ...undone, filter: '' };
  return { ...unfiltered, currentKey: findShown(unfiltered) };
}

export function toggleSelection(state: State): State {
  if (state.currentKey === undefined) return state;
  const selected = new Set(state.selected);
  if (!selected.delete(state.currentKey)) selected.add(state.currentKey);
  return moveCursor({ ...state, selected }, 1);
}

/** All that are shown; once more: none of them. */
export function toggleAll(state: State): State {
  const keys = listVisible(state).map(({ key }) => key);
  const others = [...state.selected].filter((key) => !keys.includes(key));
  const isAll = keys.every((key) => state.selected.has(key));
  return { ...state, selected: new Set(isAll ? others : [...others, ...keys]) };
}

/** To the next item below that has a warning, from the last on to the first. */
export function goToNextWarning(state: State): State {
  const visible = listVisible(state);
  const at = visible.findIndex(({ key }) => key === state.currentKey);
  const inOrder = [...visible.slice(at + 1), ...visible.slice(0, at + 1)];
  const next = inOrder.find(({ warnings }) => warnings.length > 0);
  return next === undefined
    ? { ...state, message: 'No warnings.' }
    : { ...state, currentKey: next.key, scroll: 0 };
}

export function askReason(state: State): State {
  if (listTargets(state).length === 0) return state;
  return { ...state, mode: 'reason', back: state.mode === 'detail' ? 'detail' : 'list', input: '' };
}

export function giveReason(state: State): State {
  const reason = state.input.trim();
  if (reason === '') return { ...state, message: 'Enter a reason. The member will see it.' };
  const given: State = { ...state, mode: state.back, input: '' };
  return decide(given, listTargets(state), { verdict: 'reject', reason });
}

/** @param by 1: an older reason than the one in the input; -1: a later one */
export function pickReason(state: State, by: number): State {
  const { recent } = state;
  const to = Math.max(0, Math.min(recent.length - 1, recent.indexOf(state.input) + by));
  return { ...state, input: recent[to] ?? state.input };
}

/** To what would be sent, to be looked at. */
export function showSummary(state: State): State {
  return listDecisions(state).length === 0
    ? { ...state, message: 'Nothing is decided yet. Press a to approve, r to reject.' }
    : { ...state, mode: 'summary', back: 'list', scroll: 0, isReady: false, input: '' };
}

export function givePlanFile(state: State): State {
  const input = state.input.trim();
  if (input === '' || input === '-') return { ...state, message: 'Enter the name of a file.' };
  return { ...state, input, end: 'plan' };
}

/** To the list, without what was chosen before. */
export function discardDraft(state: State): State {
  const message = listDecisions(state).length === 0 ? '' : 'Draft discarded.';
  return { ...state, draft: undefined, decisions: new Map(), mode: 'list', scroll: 0, message };
}
