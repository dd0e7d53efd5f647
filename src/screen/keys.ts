import * as moves from './state.ts';
import { keepCursorVisible, type State } from './state.ts';

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

/** The state after a key. A key that means nothing here changes nothing. */
export function pressKey(state: State, key: ReviewKey, room: Room): State {
  const { end, isPasting, heldEnter, isReady, message } = state;
  if (end !== undefined) return state;
  if (isPasting) return paste(state, key);
  const isEnter = key.name === 'enter';
  const isPaste = key.name === 'paste-start';
  if (heldEnter !== undefined) {
    const burst: State = isEnter ? state : { ...state, heldEnter: 'in-burst' };
    return isPaste ? { ...burst, isPasting: true } : burst;
  }
  if (isPaste) {
    const ignored = isTyping(state) ? '' : 'Pasted text is ignored here.';
    return { ...state, isPasting: true, isReady: false, message: ignored };
  }
  if (isEnter && (isTyping(state) || isReady)) return { ...state, heldEnter: 'alone' };
  const isUnchanged = message === '' && !isReady;
  return runKey(isUnchanged ? state : { ...state, message: '', isReady: false }, key, room);
}

/** Whether something waits for a pause between keys. */
export function needsPause({ mode, heldEnter, isReady }: State): boolean {
  return heldEnter !== undefined || (mode === 'summary' && !isReady);
}

/** The state after no key has come for a while. */
export function endBurst(state: State, room: Room): State {
  const { heldEnter, mode, isPasting, end } = state;
  if (isPasting || end !== undefined) return state;
  if (heldEnter === undefined) return mode === 'summary' ? { ...state, isReady: true } : state;
  const released: State = { ...state, heldEnter: undefined, message: '' };
  if (heldEnter === 'in-burst' && mode === 'summary')
    return { ...released, isReady: false, message: 'Not sent: other keys came with Enter.' };
  const next = runKey(released, { name: 'enter', text: '' }, room);
  if (heldEnter === 'alone') return next;
  return { ...next, message: next.message || 'Ignored what came right after Enter.' };
}

/** Whether letters are typed, and are no keys. */
export function isTyping({ mode }: State): boolean {
  return ['filter', 'reason', 'plan'].includes(mode);
}

type KeyAction = (state: State, room: Room) => State;
type KeyBindings = Readonly<Record<string, KeyAction>>;

/** @param table keys, apart by spaces, and what they do */
function bind(table: KeyBindings): KeyBindings {
  const pairs = Object.entries(table).flatMap(([keys, action]) =>
    keys.split(' ').map((key) => [key, action] as const),
  );
  return Object.fromEntries(pairs);
}

function scroll(by: (room: Room) => number): KeyAction {
  return (state, room) => {
    const from = Math.min(state.scroll, room.maxScroll);
    return { ...state, scroll: Math.max(0, Math.min(room.maxScroll, from + by(room))) };
  };
}

function decideAs(verdict: 'approve' | 'skip'): KeyAction {
  return (state) => moves.decide(state, moves.listTargets(state), { verdict });
}

const goBack: KeyAction = (state) => ({ ...state, mode: state.back, input: '', scroll: 0 });
/** What is typed next narrows the list. */
const askFilter: KeyAction = (state) =>
  keepCursorVisible({ ...state, mode: 'filter', back: 'list', input: '' });
const showHelp: KeyAction = (state) => {
  const back = state.mode === 'detail' ? 'detail' : 'list';
  return { ...state, mode: 'help', back, scroll: 0 };
};
const leave: KeyAction = (state) => ({ ...state, end: 'leave' });

/** The same in the list and before one item. What is typed after `/` would decide, wherever it meant nothing. */
const DECIDE: KeyBindings = {
  a: decideAs('approve'),
  s: decideAs('skip'),
  r: moves.askReason,
  u: moves.undoLast,
  n: moves.goToNextWarning,
  S: moves.showSummary,
  '/': askFilter,
  '?': showHelp,
  q: leave,
  'up k': (state) => moves.moveCursor(state, -1),
  'down j': (state) => moves.moveCursor(state, 1),
};

const PAGING: KeyBindings = {
  'pageup ctrl-b': scroll(({ page }) => -page),
  'pagedown ctrl-f space': scroll(({ page }) => page),
};

const PAGE: KeyBindings = {
  ...PAGING,
  'up k': scroll(() => -1),
  'down j': scroll(() => 1),
  'escape left h q backspace ?': goBack,
  '/': askFilter,
};

const KEY_BINDINGS: Readonly<Record<State['mode'], KeyBindings>> = {
  list: bind({
    ...DECIDE,
    'pageup ctrl-b': (state, { page }) => moves.moveCursor(state, -page),
    'pagedown ctrl-f': (state, { page }) => moves.moveCursor(state, page),
    'home g': (state) => moves.moveCursor(state, -state.items.length),
    'end G': (state) => moves.moveCursor(state, state.items.length),
    'enter right l': (state) =>
      state.currentKey === undefined ? state : { ...state, mode: 'detail', scroll: 0 },
    'space tab': moves.toggleSelection,
    A: moves.toggleAll,
    // First the selection, then the filter.
    'escape left h': (state) =>
      state.selected.size > 0
        ? { ...state, selected: new Set() }
        : keepCursorVisible({ ...state, filter: '' }),
  }),
  detail: bind({
    ...DECIDE,
    ...PAGING,
    'escape left h enter backspace': (state) => ({ ...state, mode: 'list', scroll: 0 }),
  }),
  filter: bind({
    'enter down up': (state) =>
      keepCursorVisible({ ...state, mode: 'list', filter: state.input.trim(), input: '' }),
    escape: (state) => keepCursorVisible({ ...state, mode: 'list', filter: '', input: '' }),
  }),
  reason: {
    enter: moves.giveReason,
    escape: goBack,
    up: (state) => moves.pickReason(state, 1),
    down: (state) => moves.pickReason(state, -1),
  },
  summary: bind({
    ...PAGE,
    p: (state) => ({ ...state, mode: 'plan', input: 'inbox-plan.ndjson' }),
    enter: (state) => (state.isReady ? { ...state, end: 'send' } : state),
  }),
  plan: { enter: moves.givePlanFile, escape: moves.showSummary },
  help: bind({ ...PAGE, enter: goBack }),
  draft: bind({
    ...PAGING,
    'up k': scroll(() => -1),
    'down j': scroll(() => 1),
    enter: (state) => ({ ...state, draft: undefined, mode: 'list', scroll: 0 }),
    d: moves.discardDraft,
    q: leave,
  }),
};

function runKey(state: State, key: ReviewKey, room: Room): State {
  const keys = KEY_BINDINGS[state.mode];
  const action = Object.hasOwn(keys, key.name) ? keys[key.name] : undefined;
  if (action !== undefined) return action(state, room);
  return isTyping(state) ? typeKey(state, key) : state;
}

/** So much is kept of what is typed or pasted. */
const MAX_LENGTH = 500;

function typeKey(state: State, { name, text }: ReviewKey): State {
  const { input } = state;
  let typed = `${input}${text}`.slice(0, MAX_LENGTH);
  if (name === 'backspace') {
    const graphemes = Array.from(new Intl.Segmenter().segment(input), ({ segment }) => segment);
    typed = graphemes.slice(0, -1).join('');
  } else if (name === 'ctrl-u') typed = '';
  else if (name === 'ctrl-w') typed = input.replace(/\S*\s*$/u, '');
  return typed === input ? state : keepCursorVisible({ ...state, input: typed });
}

/** Text where text is typed, nothing elsewhere. */
function paste(state: State, key: ReviewKey): State {
  if (key.name === 'paste-end') return { ...state, isPasting: false };
  if (state.heldEnter !== undefined || !isTyping(state) || key.text === '') return state;
  return typeKey(state, key);
}
