import { editText, type ReviewKey } from './edit.ts';
import * as moves from './moves.ts';
import { keepCursorVisible, listVisible, type State } from './state.ts';

/** What each key does. Pure: the same state and key give the same state. */

/** What the frame that the person sees leaves room for. */
export interface Room {
  /** Items or lines that are shown at once. */
  readonly page: number;
  /** The most that a page can be scrolled. */
  readonly most: number;
}

type Press = (state: State, room: Room) => State;
type Keys = Readonly<Record<string, Press>>;

const UP = ['up', 'k'] as const;
const DOWN = ['down', 'j'] as const;

const each = (names: readonly string[], press: Press): Keys =>
  Object.fromEntries(names.map((name) => [name, press]));

const all = (state: State): number => listVisible(state).length;

const scroll =
  (by: (room: Room) => number): Press =>
  (state, room) => ({
    ...state,
    scroll: Math.max(0, Math.min(room.most, Math.min(state.scroll, room.most) + by(room))),
  });

const back: Press = (state) => ({ ...state, mode: state.back, input: '', targets: [], scroll: 0 });

const help: Press = (state) => ({
  ...state,
  mode: 'help',
  back: state.mode === 'detail' ? 'detail' : 'list',
  scroll: 0,
});

const decideAs =
  (verdict: 'approve' | 'skip'): Press =>
  (state) =>
    moves.decide(state, moves.listDecisionTargets(state), { verdict });

/** The same in the list and before one item. */
const DECIDE: Keys = {
  a: decideAs('approve'),
  s: decideAs('skip'),
  r: moves.askReason,
  u: moves.undo,
  S: moves.summarise,
  '?': help,
  q: moves.leaveReview,
};

const LIST: Keys = {
  ...DECIDE,
  ...each(UP, (state) => moves.moveCursor(state, -1)),
  ...each(DOWN, (state) => moves.moveCursor(state, 1)),
  ...each(['pageup', 'ctrl-b'], (state, { page }) => moves.moveCursor(state, -page)),
  ...each(['pagedown', 'ctrl-f'], (state, { page }) => moves.moveCursor(state, page)),
  ...each(['home', 'g'], (state) => moves.moveCursor(state, -all(state))),
  ...each(['end', 'G'], (state) => moves.moveCursor(state, all(state))),
  ...each(['enter', 'right', 'l'], (state) =>
    state.at === undefined ? state : { ...state, mode: 'detail', scroll: 0 },
  ),
  space: moves.toggleSelection,
  A: moves.toggleAll,
  f: moves.nextKind,
  '/': moves.askFilter,
  ...each(['escape', 'left', 'h'], moves.widen),
};

// What is typed after `/` would decide, wherever it meant nothing.
const DETAIL: Keys = {
  ...DECIDE,
  '/': moves.askFilter,
  ...each(UP, (state) => moves.moveCursor(state, -1)),
  ...each(DOWN, (state) => moves.moveCursor(state, 1)),
  ...each(
    ['pageup', 'ctrl-b'],
    scroll(({ page }) => -page),
  ),
  ...each(
    ['pagedown', 'ctrl-f', 'space'],
    scroll(({ page }) => page),
  ),
  ...each(['escape', 'left', 'h', 'enter', 'backspace'], (state) => ({ ...state, mode: 'list', scroll: 0 })),
};

const PAGE: Keys = {
  ...each(
    UP,
    scroll(() => -1),
  ),
  ...each(
    DOWN,
    scroll(() => 1),
  ),
  ...each(
    ['pageup', 'ctrl-b'],
    scroll(({ page }) => -page),
  ),
  ...each(
    ['pagedown', 'ctrl-f', 'space'],
    scroll(({ page }) => page),
  ),
  ...each(['escape', 'left', 'h', 'q', 'backspace', '?'], back),
  '/': moves.askFilter,
};

const SUMMARY: Keys = {
  ...PAGE,
  ...each(['enter', 'y', 'S'], (state) => ({ ...state, end: 'send' })),
};

const HELP: Keys = { ...PAGE, enter: back };

const REASON: Keys = {
  enter: moves.giveReason,
  escape: back,
  up: (state) => moves.pickReason(state, 1),
  down: (state) => moves.pickReason(state, -1),
};

const FILTER: Keys = {
  ...each(['enter', 'down', 'up'], (state) =>
    keepCursorVisible({ ...state, mode: 'list', filter: state.input.trim(), input: '' }),
  ),
  escape: (state) => keepCursorVisible({ ...state, mode: 'list', filter: '', input: '' }),
};

const KEYS: Readonly<Record<State['mode'], Keys>> = {
  list: LIST,
  detail: DETAIL,
  filter: FILTER,
  reason: REASON,
  summary: SUMMARY,
  help: HELP,
  leave: { y: (state) => ({ ...state, end: 'leave' }), '/': moves.askFilter },
};

const typed = (state: State, key: ReviewKey): State => {
  const input = editText(state.input, key);
  return input === undefined ? state : keepCursorVisible({ ...state, input, pick: undefined });
};

/** The state after a key. A key that means nothing here changes nothing. */
export const pressKey = (state: State, key: ReviewKey, room: Room): State => {
  if (state.end !== undefined) return state;
  const fresh = state.said === '' ? state : { ...state, said: '' };
  const keys = KEYS[state.mode];
  const action = Object.hasOwn(keys, key.name) ? keys[key.name] : undefined;
  if (action !== undefined) return action(fresh, room);
  if (state.mode === 'filter' || state.mode === 'reason') return typed(fresh, key);
  return state.mode === 'leave' ? back(fresh, room) : fresh;
};
