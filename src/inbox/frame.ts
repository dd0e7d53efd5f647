import type { Room } from './keys.ts';
import { renderListLines } from './list-lines.ts';
import { renderDetails, renderKeyHelp, renderPreview, renderSummary } from './pages.ts';
import { decisionCount, getFilter, listDecisions, listVisible, type State } from './state.ts';
import { breakWords, clipLines, fitText, type Size, type Style, takeTail } from './style.ts';

/** A review as lines of a terminal. Pure. */

export interface Frame extends Room {
  /** As many as the terminal has, but one. The last one holds the cursor. */
  readonly lines: readonly string[];
  /** Whether something is typed, so that the cursor is of use. */
  readonly typing: boolean;
}

/** A terminal of fewer lines has none to spare. */
const TALL_ROWS = 12;

/** What the person sees of the whole, and what it was warned of. */
export interface ReviewHeader {
  readonly title: string;
  /** Sanitised. */
  readonly warnings: readonly string[];
}

const describeCounts = (state: State): readonly string[] => {
  const count = (verdict: string) =>
    listDecisions(state).filter((choice) => choice.verdict === verdict).length;
  const skipped = [...state.decisions.values()].filter(({ verdict }) => verdict === 'skip').length;
  const parts: readonly (readonly [number, string])[] = [
    [count('approve'), 'to approve'],
    [count('reject'), 'to reject'],
    [skipped, 'skipped'],
    [state.selected.size, 'selected'],
  ];
  return parts.flatMap(([n, words]) => (n === 0 ? [] : [`${n} ${words}`]));
};

const describeView = (state: State): readonly string[] => {
  if (state.mode === 'detail') {
    const visible = listVisible(state);
    return [`${visible.findIndex(({ key }) => key === state.currentKey) + 1} of ${visible.length}`];
  }
  const filter = getFilter(state);
  const filters = [state.kind, filter === '' ? undefined : `"${filter}"`].filter(
    (part) => part !== undefined,
  );
  return filters.length === 0 ? [] : [`${listVisible(state).length} shown: ${filters.join(', ')}`];
};

/** On so many lines at most: the numbers stand first. */
const HEADER_LINES = 2;

const renderHeader = (
  { title }: ReviewHeader,
  state: State,
  { columns, rows }: Size,
  style: Style,
): readonly string[] => {
  const name = title.charAt(0).toUpperCase() + title.slice(1);
  const facts = [`${state.items.length} waiting`, ...describeCounts(state), ...describeView(state)].join(
    ', ',
  );
  const maxLines = rows < TALL_ROWS ? 1 : HEADER_LINES;
  return clipLines(`${name}: ${facts}`, columns - 1, maxLines, style).map(style.palette.heading);
};

/** Keys that are named below, the most needed first; they stand in the order of `place`. */
type Hint = readonly [text: string, place: number];

const LIST_HINTS: readonly Hint[] = [
  ['? help', 9],
  ['a approve', 0],
  ['r reject', 1],
  ['S send', 7],
  ['q quit', 10],
  ['u undo', 6],
  ['space select', 3],
  ['Enter view', 5],
  ['/ filter', 4],
  ['s skip', 2],
  ['f type', 8],
];

const HINTS: Readonly<Record<State['mode'], readonly Hint[]>> = {
  list: LIST_HINTS,
  detail: [...LIST_HINTS.filter(([text]) => /^(\?|a|r|S|u|s) /.test(text)), ['Esc back', 10]],
  filter: [],
  reason: [],
  summary: [
    ['Enter to continue', 0],
    ['p save as a plan', 1],
    ['Esc back', 2],
  ],
  plan: [],
  help: [['Esc back', 0]],
  leave: [],
};

const renderHints = (mode: State['mode'], width: number, style: Style): string => {
  const chosen: Hint[] = [];
  const length = (list: readonly Hint[]) => list.reduce((sum, [text]) => sum + text.length + 2, -2);
  for (const hint of HINTS[mode]) if (length([...chosen, hint]) <= width) chosen.push(hint);
  const line = chosen.sort(([, a], [, b]) => a - b).map(([text]) => text);
  return style.palette.faint(line.join('  '));
};

const formatReasonQuestion = (state: State): string => {
  const [first] = state.targets;
  const who = state.items.find(({ key }) => key === first)?.who ?? '';
  return `Reject ${state.targets.length === 1 ? who : state.targets.length}. Reason (the member will see it):`;
};

/** The last lines: what is asked or said, and the keys or what is typed. */
const renderFooter = (state: State, { columns, rows }: Size, style: Style): readonly string[] => {
  const width = columns - 1;
  const typing = (label: string) => `${label}${takeTail(state.input, width - label.length - 1, style)}`;
  const { palette } = style;
  if (state.mode === 'leave') {
    const text = `Quit and discard ${decisionCount(state)}? [y/N]`;
    return breakWords(text, width, style).map(palette.waiting);
  }
  const message = state.message === '' ? [] : breakWords(state.message, width, style).map(palette.waiting);
  if (state.mode === 'filter') return [typing('Filter: ')];
  if (state.mode === 'plan') return [...message, typing('Save the plan to: ')];
  if (state.mode !== 'reason') return [...message, renderHints(state.mode, width, style)];
  const recent = state.recent.slice(0, Math.max(0, Math.min(5, Math.floor(rows / 3) - 3)));
  const keys = `Enter to confirm, Esc to go back${recent.length === 0 ? '' : ', Up and Down to pick a recent one'}.`;
  return [
    ...breakWords(formatReasonQuestion(state), width, style).map(palette.heading),
    ...recent.map((reason, i) => fitText(`  ${i === state.recentIndex ? '>' : ' '} ${reason}`, width, style)),
    ...breakWords(keys, width, style).map(palette.faint),
    ...message,
    typing('> '),
  ];
};

/** Lines below the list where the terminal is high enough. */
const previewHeight = (rows: number): number =>
  rows >= 16 ? Math.min(6, Math.floor(rows / 3)) : rows >= 11 ? 3 : 0;

const padLines = (lines: readonly string[], height: number): readonly string[] =>
  Array.from({ length: Math.max(0, height) }, (_, i) => lines[i] ?? '');

const renderListBody = (state: State, size: Size, height: number, style: Style): Frame => {
  const below =
    state.mode === 'list' || state.mode === 'filter' || state.mode === 'leave' ? previewHeight(height) : 0;
  const page = Math.max(1, height - 1 - (below === 0 ? 0 : below + 1));
  const preview = renderPreview(state, size.columns - 1, style);
  const more =
    preview.length > below
      ? [
          ...preview.slice(0, below - 1),
          style.palette.faint(fitText('Press Enter for the rest.', size.columns - 1, style)),
        ]
      : preview;
  const lines = [
    ...padLines(renderListLines(state, size, page, style), page + 1),
    ...(below === 0 ? [] : ['', ...padLines(more, below)]),
  ];
  return { lines, page, maxScroll: 0, typing: false };
};

const renderPageBody = (
  content: readonly string[],
  { scroll }: State,
  height: number,
  { palette }: Style,
): Frame => {
  const maxScroll = Math.max(0, content.length - height);
  const top = Math.min(scroll, maxScroll);
  const lines = padLines(content.slice(top, top + height), height);
  return {
    lines: top < maxScroll ? [...lines.slice(0, -1), palette.faint('... PgDn for more')] : lines,
    page: Math.max(1, height - 1),
    maxScroll,
    typing: false,
  };
};

const renderBody = (state: State, size: Size, height: number, style: Style): Frame => {
  const width = size.columns - 1;
  const shown = state.mode === 'reason' || state.mode === 'leave' ? state.back : state.mode;
  if (shown === 'detail')
    return renderPageBody(['', ...renderDetails(state, width, style)], state, height, style);
  if (shown === 'summary' || shown === 'plan')
    return renderPageBody(['', ...renderSummary(state, width, style)], state, height, style);
  if (shown === 'help') return renderPageBody(['', ...renderKeyHelp(width, style)], state, height, style);
  return renderListBody(state, size, height, style);
};

/** The whole terminal but its last line. */
export const renderFrame = (header: ReviewHeader, state: State, size: Size, style: Style): Frame => {
  const all = size.rows - 1;
  const foot = renderFooter(state, size, style).slice(-Math.max(1, all - 2));
  const top = renderHeader(header, state, size, style);
  const warnings = header.warnings
    .map((text) => style.palette.bad(fitText(`! ${text}`, size.columns - 1, style)))
    .slice(0, Math.max(0, all - foot.length - 2 - top.length));
  const head = [...top, ...warnings];
  const height = Math.max(0, all - head.length - foot.length);
  const middle = renderBody(state, size, height, style);
  const lines = [...head, ...middle.lines.slice(0, height), ...foot].slice(-Math.max(1, all));
  const typing = ['filter', 'reason', 'plan'].includes(state.mode);
  return { ...middle, lines, typing };
};
