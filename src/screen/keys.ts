import * as moves from './state.ts';
import { keepCursorVisible, listVisible, type State } from './state.ts';

/** What each key does. Pure: the same state and key give the same state. */

export interface ReviewKey {
  /** `up`, `enter`, `escape`, `ctrl-u`, `paste-start`, `paste-end`; of a letter the letter itself. */
  readonly name: string;
  /** What it types: a letter, a space; empty for any other key. */
  readonly text: string;
}

/** What the frame that the person sees leaves room for. */
export interface Room {
  /** Items or lines that are shown at once. */
  readonly page: number;
  /** The most that a page can be scrolled. */
  readonly maxScroll: number;
}

type KeyAction = (state: State, room: Room) => State;
type KeyBindings = Readonly<Record<string, KeyAction>>;

const UP = ['up', 'k'] as const;
const DOWN = ['down', 'j'] as const;

const bindKeys = (names: readonly string[], press: KeyAction): KeyBindings =>
  Object.fromEntries(names.map((name) => [name, press]));

const countVisible = (state: State): number => listVisible(state).length;

const scrollBy =
  (by: (room: Room) => number): KeyAction =>
  (state, room) => ({
    ...state,
    scroll: Math.max(0, Math.min(room.maxScroll, Math.min(state.scroll, room.maxScroll) + by(room))),
  });

const goBack: KeyAction = (state) => ({ ...state, mode: state.back, input: '', targets: [], scroll: 0 });

const showHelp: KeyAction = (state) => ({
  ...state,
  mode: 'help',
  back: state.mode === 'detail' ? 'detail' : 'list',
  scroll: 0,
});

const decideAs =
  (verdict: 'approve' | 'skip'): KeyAction =>
  (state) =>
    moves.decide(state, moves.listDecisionTargets(state), { verdict });

const leave: KeyAction = (state) => ({ ...state, end: 'leave' });

/** The same in the list and before one item. */
const DECIDE: KeyBindings = {
  a: decideAs('approve'),
  s: decideAs('skip'),
  r: moves.askReason,
  u: moves.undoLast,
  n: moves.goToNextWarning,
  S: moves.showSummary,
  '?': showHelp,
  q: leave,
};

const LIST: KeyBindings = {
  ...DECIDE,
  ...bindKeys(UP, (state) => moves.moveCursor(state, -1)),
  ...bindKeys(DOWN, (state) => moves.moveCursor(state, 1)),
  ...bindKeys(['pageup', 'ctrl-b'], (state, { page }) => moves.moveCursor(state, -page)),
  ...bindKeys(['pagedown', 'ctrl-f'], (state, { page }) => moves.moveCursor(state, page)),
  ...bindKeys(['home', 'g'], (state) => moves.moveCursor(state, -countVisible(state))),
  ...bindKeys(['end', 'G'], (state) => moves.moveCursor(state, countVisible(state))),
  ...bindKeys(['enter', 'right', 'l'], (state) =>
    state.currentKey === undefined ? state : { ...state, mode: 'detail', scroll: 0 },
  ),
  ...bindKeys(['space', 'tab'], moves.toggleSelection),
  A: moves.toggleAll,
  '/': moves.askFilter,
  ...bindKeys(['escape', 'left', 'h'], moves.clearSelectionOrFilter),
};

const PAGING: KeyBindings = {
  ...bindKeys(
    ['pageup', 'ctrl-b'],
    scrollBy(({ page }) => -page),
  ),
  ...bindKeys(
    ['pagedown', 'ctrl-f', 'space'],
    scrollBy(({ page }) => page),
  ),
};

// What is typed after `/` would decide, wherever it meant nothing.
const DETAIL: KeyBindings = {
  ...DECIDE,
  '/': moves.askFilter,
  ...bindKeys(UP, (state) => moves.moveCursor(state, -1)),
  ...bindKeys(DOWN, (state) => moves.moveCursor(state, 1)),
  ...PAGING,
  ...bindKeys(['escape', 'left', 'h', 'enter', 'backspace'], (state) => ({
    ...state,
    mode: 'list',
    scroll: 0,
  })),
};

const PAGE: KeyBindings = {
  ...bindKeys(
    UP,
    scrollBy(() => -1),
  ),
  ...bindKeys(
    DOWN,
    scrollBy(() => 1),
  ),
  ...PAGING,
  ...bindKeys(['escape', 'left', 'h', 'q', 'backspace', '?'], goBack),
  '/': moves.askFilter,
};

const SUMMARY: KeyBindings = {
  ...PAGE,
  p: moves.askPlanFile,
  enter: (state) => (state.isReady ? { ...state, end: 'send' } : state),
};

const PLAN: KeyBindings = {
  enter: moves.givePlanFile,
  escape: (state) => moves.showSummary({ ...state, input: '' }),
};

const HELP: KeyBindings = { ...PAGE, enter: goBack };

const REASON: KeyBindings = {
  enter: moves.giveReason,
  escape: goBack,
  up: (state) => moves.pickReason(state, 1),
  down: (state) => moves.pickReason(state, -1),
};

const FILTER: KeyBindings = {
  ...bindKeys(['enter', 'down', 'up'], (state) =>
    keepCursorVisible({ ...state, mode: 'list', filter: state.input.trim(), input: '' }),
  ),
  escape: (state) => keepCursorVisible({ ...state, mode: 'list', filter: '', input: '' }),
};

const DRAFT: KeyBindings = {
  ...PAGE,
  ...bindKeys(['escape', 'left', 'h', 'backspace', '/', '?'], (state) => state),
  enter: (state) => moves.answerDraft(state, true),
  d: (state) => moves.answerDraft(state, false),
  q: leave,
};

const KEY_BINDINGS: Readonly<Record<State['mode'], KeyBindings>> = {
  draft: DRAFT,
  list: LIST,
  detail: DETAIL,
  filter: FILTER,
  reason: REASON,
  summary: SUMMARY,
  plan: PLAN,
  help: HELP,
};

const graphemes = (text: string): string[] =>
  Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

/** So much is kept of what is typed or pasted. */
const MAX_LENGTH = 500;

/** The text after the key; undefined when the key is no part of typing. */
const editText = (text: string, { name, text: typed }: ReviewKey): string | undefined => {
  if (name === 'backspace') return graphemes(text).slice(0, -1).join('');
  if (name === 'ctrl-u') return '';
  if (name === 'ctrl-w') return text.replace(/\S*\s*$/u, '');
  return typed === '' ? undefined : `${text}${typed}`.slice(0, MAX_LENGTH);
};

const typeKey = (state: State, key: ReviewKey): State => {
  const input = editText(state.input, key);
  if (input === undefined || input === state.input) return state;
  return keepCursorVisible({ ...state, input, recentIndex: undefined });
};

/** Whether letters are typed, and are no keys. */
export const isTyping = ({ mode }: State): boolean => ['filter', 'reason', 'plan'].includes(mode);

/** Text where text is typed, nothing elsewhere. */
const paste = (state: State, key: ReviewKey): State => {
  if (key.name === 'paste-end') return { ...state, isPasting: false };
  if (state.heldEnter !== undefined || !isTyping(state) || key.text === '') return state;
  return typeKey(state, key);
};

const startPaste = (state: State): State => ({
  ...state,
  isPasting: true,
  isReady: false,
  message: isTyping(state) ? '' : 'Pasted text is ignored here.',
});

const runKey = (state: State, key: ReviewKey, room: Room): State => {
  const keys = KEY_BINDINGS[state.mode];
  const action = Object.hasOwn(keys, key.name) ? keys[key.name] : undefined;
  if (action !== undefined) return action(state, room);
  return isTyping(state) ? typeKey(state, key) : state;
};

/** The state after a key. A key that means nothing here changes nothing. */
export const pressKey = (state: State, key: ReviewKey, room: Room): State => {
  if (state.end !== undefined) return state;
  if (state.isPasting) return paste(state, key);
  const isEnter = key.name === 'enter';
  const isPaste = key.name === 'paste-start';
  if (state.heldEnter !== undefined) {
    const burst: State = isEnter ? state : { ...state, heldEnter: 'in-burst' };
    return isPaste ? { ...burst, isPasting: true } : burst;
  }
  if (isPaste) return startPaste(state);
  if (isEnter && (isTyping(state) || state.isReady)) return { ...state, heldEnter: 'alone' };
  const isUnchanged = state.message === '' && !state.isReady;
  return runKey(isUnchanged ? state : { ...state, message: '', isReady: false }, key, room);
};

/** Whether something waits for a pause between keys. */
export const needsPause = ({ mode, heldEnter, isReady }: State): boolean =>
  heldEnter !== undefined || (mode === 'summary' && !isReady);

const ENTER: ReviewKey = { name: 'enter', text: '' };

/** The state after no key has come for a while. */
export const endBurst = (state: State, room: Room): State => {
  const { heldEnter, mode, isPasting, end } = state;
  if (isPasting || end !== undefined) return state;
  if (heldEnter === undefined) return mode === 'summary' ? { ...state, isReady: true } : state;
  const released: State = { ...state, heldEnter: undefined, message: '' };
  if (heldEnter === 'alone') return runKey(released, ENTER, room);
  if (mode === 'summary')
    return { ...released, isReady: false, message: 'Not sent: other keys came with Enter.' };
  const next = runKey(released, ENTER, room);
  return { ...next, message: next.message || 'Ignored what came right after Enter.' };
};
