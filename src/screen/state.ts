import type { Evidence } from '../decide/evidence.ts';
import { foldCase } from '../parsing/text.ts';

/** A review as a value: what waits, what is chosen, and what each key makes of it. Pure: `frame.ts` shows it. */

/** One thing that waits for a decision. Texts are sanitised. */
export interface ReviewItem {
  readonly key: string;
  readonly kind: string;
  readonly who: string;
  /** Short: `Nov 9–15`. */
  readonly when: string;
  /** Short: `41:30`, `5 d`. */
  readonly amount: string;
  readonly waits: string;
  readonly about: string | undefined;
  readonly note: string | undefined;
  /** What a decision has to heed, a short sentence each. */
  readonly warnings: readonly string[];
  /** What a filter is looked for in (`foldCase`). */
  search(): string;
  /** The same as long as what is decided on is the same. */
  version(): string;
  facts(): readonly (readonly [label: string, text: string])[];
}

/** What is put before a person. Texts are sanitised. */
export interface Review {
  readonly items: readonly ReviewItem[];
  /** What is missing, and why; shown all the time. */
  readonly warnings: readonly string[];
  readonly again: string;
  /** Whether all that waits is among the items. */
  readonly isWhole: boolean;
  evidence(key: string): Promise<Evidence>;
}

export interface Decision {
  /** `skip`: seen, and left as it is. */
  readonly verdict: 'approve' | 'reject' | 'skip';
  readonly reason?: string;
}

export type ReviewDecision = Decision & { readonly key: string; readonly verdict: 'approve' | 'reject' };

export interface State {
  readonly items: readonly ReviewItem[];
  readonly flagged: number;
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly selected: ReadonlySet<string>;
  readonly currentKey: string | undefined;
  readonly recent: readonly string[];
  readonly undoSteps: readonly Pick<State, 'decisions' | 'selected' | 'currentKey'>[];
  readonly filter: string;
  readonly mode: 'list' | 'detail' | 'filter' | 'reason' | 'summary' | 'help';
  readonly input: string;
  readonly back: 'list' | 'detail';
  /** Lines that are scrolled away at the top of a page. */
  readonly scroll: number;
  /** What the last key led to, where the screen does not show it. */
  readonly message: string;
  readonly isPasting: boolean;
  /** Until no key has come for a while, a text that was ended takes nothing more, and Enter does not send. */
  readonly isDeaf: boolean;
  readonly end: 'send' | 'leave' | undefined;
}

/** @param draft decisions that were made before, and what is told of them: the first step that can be undone */
export function createReviewState(
  items: readonly ReviewItem[],
  recent: readonly string[],
  draft?: { readonly decisions: State['decisions']; readonly told: string },
): State {
  const start = { decisions: new Map(), selected: new Set<string>(), currentKey: items[0]?.key };
  const flagged = items.filter(({ warnings }) => warnings.length > 0).length;
  const { decisions = start.decisions, told: message = '' } = draft ?? {};
  const undoSteps = draft === undefined ? [] : [start];
  return {
    ...{ ...start, items, flagged, recent, decisions, message, undoSteps },
    ...{ mode: 'list', filter: '', input: '', back: 'list', scroll: 0 },
    ...{ isPasting: false, isDeaf: false, end: undefined },
  };
}

/** The filter that counts: while one is typed, what is typed. */
export function getFilter({ mode, input, filter }: State): string {
  return mode === 'filter' ? input : filter;
}

export function listVisible(state: State): readonly ReviewItem[] {
  const words = foldCase(getFilter(state)).split(/\s+/).filter(Boolean);
  if (words.length === 0) return state.items;
  return state.items.filter((item) => words.every((word) => item.search().includes(word)));
}

export function getCurrent(state: State): ReviewItem | undefined {
  return listVisible(state).find(({ key }) => key === state.currentKey);
}

export function listDecisions({ items, decisions }: State): readonly ReviewDecision[] {
  return items.flatMap(({ key }) => {
    const { verdict = 'skip', ...reason } = decisions.get(key) ?? {};
    return verdict === 'skip' ? [] : [{ key, verdict, ...reason }];
  });
}

/** The page that is shown: a reason is typed below that of its request. */
export function getPage({ mode, back }: State): State['mode'] {
  return mode === 'reason' ? back : mode;
}

/** What a decision, or the reason that is typed, is for: the selected items that are shown, else the current one. */
export function listTargets(state: State): readonly string[] {
  const keys = listVisible(state).map(({ key }) => key);
  const selected = keys.filter((key) => state.selected.has(key));
  const isSelection = selected.length > 0 && getPage(state) !== 'detail';
  return isSelection ? selected : keys.filter((key) => key === state.currentKey);
}

export function isTyping({ mode }: State): boolean {
  return mode === 'filter' || mode === 'reason';
}

export interface ReviewKey {
  /** `up`, `enter`, `escape`, `ctrl-u`, `paste-start`, `paste-end`; of a letter the letter itself. */
  readonly name: string;
  readonly text: string;
}

export interface Room {
  readonly page: number;
  readonly maxScroll: number;
}

/** The state after a key. A key that means nothing here changes nothing. */
export function pressKey(state: State, key: ReviewKey, room: Room): State {
  const { end, mode, isPasting, isDeaf } = state;
  const [isText, isEnter] = [isTyping(state), key.name === 'enter'];
  if (end !== undefined) return state;
  if (key.name === 'paste-start') {
    const message = isText ? '' : 'Pasted text is ignored here.';
    return { ...state, isPasting: true, isDeaf: isDeaf || mode === 'summary', message };
  }
  if (isPasting) {
    if (key.name === 'paste-end') return { ...state, isPasting: false };
    return isText && !isDeaf && key.text !== '' ? typeKey(state, key) : state;
  }
  if (isDeaf && (mode !== 'summary' || isEnter)) return state;
  if (isText && isEnter) return { ...state, isDeaf: true };
  const next = runKey({ ...state, message: '' }, key, room);
  return { ...next, isDeaf: next.mode === 'summary' };
}

/** The state after no key has come for a while: only now a text ends. */
export function endBurst(state: State, room: Room): State {
  if (state.isPasting || state.end !== undefined) return state;
  const next: State = { ...state, isDeaf: false };
  return state.isDeaf && isTyping(state) ? runKey(next, { name: 'enter', text: '' }, room) : next;
}

function runKey(state: State, key: ReviewKey, room: Room): State {
  const names = Object.entries(KEYS[state.mode]);
  const [, action] = names.find(([all]) => all.split(' ').includes(key.name)) ?? [];
  return action?.(state, room) ?? (isTyping(state) ? typeKey(state, key) : state);
}

type KeyAction = (state: State, room: Room) => State;
type Keys = Readonly<Record<string, KeyAction>>;

const leave: KeyAction = (state) => ({ ...state, end: 'leave' });
const goBack: KeyAction = (state) => ({ ...state, mode: state.back, input: '', scroll: 0 });
const toList: KeyAction = (state) => ({ ...state, mode: 'list', scroll: 0 });

function open(mode: 'help' | 'reason'): KeyAction {
  return (state) => ({
    ...state,
    mode,
    back: state.mode === 'detail' ? 'detail' : 'list',
    scroll: 0,
    input: '',
  });
}

function scroll(by: (room: Room) => number): KeyAction {
  return (state, room) => {
    const from = Math.min(state.scroll, room.maxScroll);
    return { ...state, scroll: Math.max(0, Math.min(room.maxScroll, from + by(room))) };
  };
}

/** What is typed after `/` would decide, wherever it meant nothing. */
const FILTER: Keys = {
  '/': (state) => keepCursorVisible({ ...state, mode: 'filter', back: 'list', input: '' }),
};

const DECIDE: Keys = {
  ...FILTER,
  a: (state) => decide(state, { verdict: 'approve' }),
  s: (state) => decide(state, { verdict: 'skip' }),
  r: (state, room) => (listTargets(state).length === 0 ? state : open('reason')(state, room)),
  u: (state) => {
    const last = state.undoSteps.at(-1);
    if (last === undefined) return { ...state, message: 'Nothing to undo.' };
    const undoSteps = state.undoSteps.slice(0, -1);
    const undone: State = { ...state, ...last, undoSteps, message: 'Undone.', scroll: 0 };
    return getCurrent(undone) === undefined ? { ...undone, filter: '' } : undone;
  },
  n: (state) => {
    // The next below, from the last on to the first.
    const visible = listVisible(state);
    const at = visible.findIndex(({ key }) => key === state.currentKey);
    const inOrder = [...visible.slice(at + 1), ...visible.slice(0, at + 1)];
    const next = inOrder.find(({ warnings }) => warnings.length > 0);
    return next ? { ...state, currentKey: next.key, scroll: 0 } : { ...state, message: 'No warnings.' };
  },
  S: showSummary,
  '?': open('help'),
  q: leave,
  'up k': (state) => moveCursor(state, -1),
  'down j': (state) => moveCursor(state, 1),
};

const PAGING: Keys = {
  'pageup ctrl-b': scroll(({ page }) => -page),
  'pagedown ctrl-f space': scroll(({ page }) => page),
};
const PAGE: Keys = {
  ...FILTER,
  ...PAGING,
  'up k': scroll(() => -1),
  'down j': scroll(() => 1),
  'escape left h q backspace ?': goBack,
};

const KEYS: Readonly<Record<State['mode'], Keys>> = {
  list: {
    ...DECIDE,
    'pageup ctrl-b': (state, { page }) => moveCursor(state, -page),
    'pagedown ctrl-f': (state, { page }) => moveCursor(state, page),
    'home g': (state) => moveCursor(state, -state.items.length),
    'end G': (state) => moveCursor(state, state.items.length),
    'enter right l': (state) =>
      state.currentKey === undefined ? state : { ...state, mode: 'detail', scroll: 0 },
    'space tab': (state) => {
      const selected = new Set(state.selected);
      if (!selected.delete(state.currentKey ?? '')) selected.add(state.currentKey ?? '');
      return state.currentKey === undefined ? state : moveCursor({ ...state, selected }, 1);
    },
    A: (state) => selectShown(state, () => true),
    c: (state) => selectShown(state, ({ warnings }) => warnings.length === 0),
    // First the selection, then the filter.
    'escape left h': (state) =>
      state.selected.size > 0
        ? { ...state, selected: new Set() }
        : keepCursorVisible({ ...state, filter: '' }),
  },
  detail: { ...DECIDE, ...PAGING, 'escape left h enter backspace': toList },
  filter: {
    'enter down up': (state) =>
      keepCursorVisible({ ...state, mode: 'list', filter: state.input.trim(), input: '' }),
    escape: (state) => keepCursorVisible({ ...state, mode: 'list', filter: '', input: '' }),
  },
  reason: {
    enter: (state) => {
      const reason = state.input.trim();
      if (reason === '') return { ...state, message: 'Enter a reason. The member will see it.' };
      return decide({ ...state, mode: state.back, input: '' }, { verdict: 'reject', reason });
    },
    escape: goBack,
    up: (state) => pickReason(state, 1),
    down: (state) => pickReason(state, -1),
  },
  summary: { ...PAGE, enter: (state) => ({ ...state, end: 'send' }) },
  help: { ...PAGE, enter: goBack },
};

const MAX_LENGTH = 500;

function typeKey(state: State, { name, text }: ReviewKey): State {
  let typed = `${state.input}${text}`.slice(0, MAX_LENGTH);
  if (name === 'backspace') {
    const graphemes = Array.from(new Intl.Segmenter().segment(typed), ({ segment }) => segment);
    typed = graphemes.slice(0, -1).join('');
  } else if (name === 'ctrl-u') typed = '';
  else if (name === 'ctrl-w') typed = typed.replace(/\S*\s*$/u, '');
  return keepCursorVisible({ ...state, input: typed });
}

function keepCursorVisible(state: State): State {
  return getCurrent(state) === undefined ? { ...state, currentKey: listVisible(state)[0]?.key } : state;
}

function moveCursor(state: State, by: number): State {
  const visible = listVisible(state);
  const from = visible.findIndex(({ key }) => key === state.currentKey);
  const to = Math.max(0, Math.min(visible.length - 1, from + by));
  return { ...state, currentKey: visible[to]?.key, scroll: 0 };
}

/** A decision alone goes on to the next item; one on several stays where it is. */
function decide(state: State, decision: Decision): State {
  const keys = listTargets(state);
  if (keys.length === 0) return state;
  const { decisions, selected, currentKey, undoSteps } = state;
  const next: State = {
    ...state,
    decisions: new Map([...decisions, ...keys.map((key) => [key, decision] as const)]),
    selected: new Set([...selected].filter((key) => !keys.includes(key))),
    undoSteps: [...undoSteps, { decisions, selected, currentKey }],
  };
  const isDone = next.decisions.size === next.items.length;
  const told = { ...next, message: isDone ? 'All reviewed. Press S to continue.' : '' };
  return keys.length === 1 && keys[0] === currentKey ? moveCursor(told, 1) : told;
}

function selectShown(state: State, isMeant: (item: ReviewItem) => boolean): State {
  const keys = listVisible(state).filter(isMeant);
  return { ...state, selected: new Set([...state.selected, ...keys.map(({ key }) => key)]) };
}

function pickReason(state: State, by: number): State {
  const { recent, input } = state;
  const to = Math.max(0, Math.min(recent.length - 1, recent.indexOf(input) + by));
  return { ...state, input: recent[to] ?? input };
}

function showSummary(state: State): State {
  return listDecisions(state).length === 0
    ? { ...state, message: 'Nothing is decided yet. Press a to approve, r to reject.' }
    : { ...state, mode: 'summary', back: 'list', scroll: 0, input: '' };
}
