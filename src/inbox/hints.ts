import type { State } from './state.ts';
import { fitText, type Style } from './style.ts';

/** Keys that are named below, as many as fit. */

/** The most needed come first in a list; on the screen they stand in the order of `place`. */
type Hint = readonly [text: string, place: number];

const LIST_HINTS: readonly Hint[] = [
  ['? help', 10],
  ['a approve', 0],
  ['r reject', 1],
  ['S review', 8],
  ['q quit', 11],
  ['u undo', 7],
  ['space select', 3],
  ['Enter view', 6],
  ['/ filter', 5],
  ['n next warning', 4],
  ['s skip', 2],
  ['f type', 9],
];

const HINTS: Readonly<Record<State['mode'], readonly Hint[]>> = {
  draft: [
    ['Enter to continue with it', 0],
    ['d discard', 1],
    ['q quit', 2],
  ],
  list: LIST_HINTS,
  detail: [...LIST_HINTS.filter(([text]) => /^(\?|a|r|S|u|s|n) /.test(text)), ['Esc back', 11]],
  filter: [],
  find: [],
  reason: [],
  summary: [
    ['Enter to send', 0],
    ['p save as a plan', 1],
    ['Esc back', 2],
  ],
  plan: [],
  help: [['Esc back', 0]],
};

/** @param action what Enter does with the decisions: `send` */
export const renderHints = (
  { mode, isReady }: Pick<State, 'mode' | 'isReady'>,
  action: string,
  width: number,
  style: Style,
): string => {
  const chosen: Hint[] = [];
  const length = (list: readonly Hint[]) => list.reduce((sum, [text]) => sum + text.length + 2, -2);
  for (const hint of HINTS[mode]) if (length([...chosen, hint]) <= width) chosen.push(hint);
  const line = chosen.sort(([, a], [, b]) => a - b).map(([text]) => text);
  const send = `Enter to ${action}`;
  // Where Enter would not send yet, its place is blank.
  const text = line.join('  ').replace('Enter to send', isReady ? send : ' '.repeat(send.length));
  return style.palette.faint(fitText(text, width, style));
};
