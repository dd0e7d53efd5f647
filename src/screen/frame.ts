import type { Evidence } from '../review.ts';
import { isTyping, type Room } from './keys.ts';
import { formatRange, renderListLines } from './list-lines.ts';
import {
  renderDetails,
  renderDraft,
  renderEvidence,
  renderKeyHelp,
  renderPreview,
  renderSummary,
} from './pages.ts';
import { getCurrent, getFilter, listDecisions, listVisible, type State } from './state.ts';
import { breakWords, clipLines, fitText, getGlyph, type Size, type Style, takeTail } from './style.ts';

/** A review as lines of a terminal. Pure. */

export interface Frame extends Room {
  /** As many as the terminal has, but one. The last one holds the cursor. */
  readonly lines: readonly string[];
  /** Whether something is typed, so that the cursor is of use. */
  readonly typing: boolean;
}

/** From so many columns on it stands beside the list. */
const MIN_COLUMNS = 100;
/** Items below the cursor for which it is read beforehand. */
const AHEAD = 3;

export const hasPanel = ({ columns }: Size): boolean => columns >= MIN_COLUMNS;

/** Keys of the items whose evidence is on the screen, or soon will be. */
export const listWanted = (state: State, size: Size): readonly string[] => {
  const { mode, back, currentKey } = state;
  const shown = mode === 'reason' ? back : mode;
  if (currentKey === undefined || !['list', 'filter', 'detail'].includes(shown)) return [];
  if (!hasPanel(size)) return shown === 'detail' ? [currentKey] : [];
  const visible = listVisible(state);
  const at = visible.findIndex(({ key }) => key === currentKey);
  return at < 0 ? [] : visible.slice(at, at + AHEAD + 1).map(({ key }) => key);
};

/** A terminal of fewer lines has none to spare. */
const TALL_ROWS = 12;

/** What is shown beside the state. All texts are sanitised. */
export interface ReviewInfo {
  /** Shown all the time. */
  readonly warnings: readonly string[];
  /** What is known around the items, as far as it has been read. */
  readonly evidence: ReadonlyMap<string, Evidence>;
  /** Where decisions are sent, as soon as it is known. */
  readonly account: readonly string[];
  /** What Enter does with the decisions: `send`. */
  readonly action: string;
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
  return filter === '' ? [] : [`${listVisible(state).length} shown: "${filter}"`];
};

/** On so many lines at most: the numbers stand first. */
const HEADER_LINES = 2;

const renderHeader = (state: State, { columns, rows }: Size, style: Style): readonly string[] => {
  const facts = [`${state.items.length} waiting`, ...describeCounts(state), ...describeView(state)];
  const maxLines = rows < TALL_ROWS ? 1 : HEADER_LINES;
  return clipLines(`Inbox: ${facts.join(', ')}`, columns - 1, maxLines, style).map(style.palette.heading);
};

const formatReasonQuestion = (state: State): string => {
  const [first] = state.targets;
  const who = state.items.find(({ key }) => key === first)?.who ?? '';
  return `Reject ${state.targets.length === 1 ? who : state.targets.length}. Reason (the member will see it):`;
};

/** Keys that are named below, the most needed first: as many as fit. */
const DECIDE_HINTS = ['a approve', 'r reject', 'S review', '? help'];

const HINTS: Readonly<Record<State['mode'], readonly string[]>> = {
  draft: ['Enter to continue with it', 'd discard', 'q quit'],
  list: [
    ...[...DECIDE_HINTS, 'q quit', 'u undo', 'space select', 'Enter view'],
    ...['/ filter', 'n next warning', 's skip'],
  ],
  detail: [...DECIDE_HINTS, 'Esc back', 'u undo', 's skip', 'n next warning'],
  filter: [],
  reason: [],
  summary: ['Enter to send', 'p save as a plan', 'Esc back'],
  plan: [],
  help: ['Esc back'],
};

/** @param action what Enter does with the decisions: `send` */
const renderHints = (
  { mode, isReady }: Pick<State, 'mode' | 'isReady'>,
  action: string,
  width: number,
  style: Style,
): string => {
  const send = `Enter to ${action}`;
  // Where Enter would not send yet, its place is blank.
  const shown = HINTS[mode].map((hint) =>
    hint !== 'Enter to send' ? hint : isReady ? send : ' '.repeat(send.length),
  );
  let line = '';
  for (const hint of shown)
    if (line.length + 2 + hint.length <= width || line === '') line += `${line === '' ? '' : '  '}${hint}`;
  return style.palette.faint(fitText(line, width, style));
};

/** The last lines: what is asked or said, and the keys or what is typed. */
const renderFooter = (
  state: State,
  { action }: ReviewInfo,
  { columns, rows }: Size,
  style: Style,
): readonly string[] => {
  const width = columns - 1;
  const typing = (label: string) => `${label}${takeTail(state.input, width - label.length - 1, style)}`;
  const { palette } = style;
  const message = state.message === '' ? [] : breakWords(state.message, width, style).map(palette.waiting);
  if (state.mode === 'filter') return [typing('Filter: ')];
  if (state.mode === 'plan') return [...message, typing('Save the plan to: ')];
  if (state.mode !== 'reason') return [...message, renderHints(state, action, width, style)];
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

/** So many lines at most; the last one says that there are more. */
const cutLines = (lines: readonly string[], height: number, width: number, style: Style) =>
  lines.length <= height
    ? lines
    : [
        ...lines.slice(0, height - 1),
        style.palette.faint(fitText('Press Enter for the rest.', width, style)),
      ];

/** The list and how much of it that is; beside it, or below, the current item with what is known around it. */
const renderListBody = (state: State, info: ReviewInfo, size: Size, height: number, style: Style): Frame => {
  const { columns, rows } = size;
  const isBeside = hasPanel(size);
  const left = isBeside ? Math.max(58, Math.floor(columns * 0.55)) : columns - 1;
  const below = !isBeside && ['list', 'filter'].includes(state.mode) ? previewHeight(height) : 0;
  // The line of the range is left out where every line counts.
  const range = below > 0 || (height >= 6 && listVisible(state).length > height - 1) ? 1 : 0;
  const page = Math.max(1, height - 1 - range - below);
  const { faint } = style.palette;
  const rangeLine = fitText(` ${formatRange(state, page, style)}`, left, style).padEnd(left);
  const list = [
    ...padLines(renderListLines(state, { columns: left + 1, rows }, page, style), page + 1),
    ...(range === 0 ? [] : [faint(rangeLine)]),
  ];
  const width = isBeside ? columns - left - 4 : left;
  const preview = renderPreview(state, width, style);
  if (!isBeside) {
    const lines = [...list, ...padLines(cutLines(preview, below, width, style), below)];
    return { lines, page, maxScroll: 0, typing: false };
  }
  const key = getCurrent(state)?.key;
  const evidence = key === undefined ? [] : ['', ...renderEvidence(info.evidence.get(key), width, style)];
  const shown = cutLines([...preview, ...evidence], height, width, style);
  const divider = faint(getGlyph(style, 'divider'));
  const lines = padLines(list, height).map(
    (line, i) => `${line === '' ? ' '.repeat(left) : line} ${divider} ${shown[i] ?? ''}`,
  );
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

/** The lines of a page; undefined for the list. */
const renderPage = (
  state: State,
  info: ReviewInfo,
  width: number,
  style: Style,
): readonly string[] | undefined => {
  const shown = state.mode === 'reason' ? state.back : state.mode;
  if (shown === 'detail')
    return renderDetails(state, info.evidence.get(state.currentKey ?? ''), width, style);
  if (shown === 'summary' || shown === 'plan') return renderSummary(state, info.account, width, style);
  if (shown === 'draft' && state.draft !== undefined) return renderDraft(state, state.draft, width, style);
  return shown === 'help' ? renderKeyHelp(width, style) : undefined;
};

const renderBody = (state: State, info: ReviewInfo, size: Size, height: number, style: Style): Frame => {
  const page = renderPage(state, info, size.columns - 1, style);
  if (page !== undefined) return renderPageBody(['', ...page], state, height, style);
  return renderListBody(state, info, size, height, style);
};

/** The whole terminal but its last line. */
export const renderFrame = (info: ReviewInfo, state: State, size: Size, style: Style): Frame => {
  const all = size.rows - 1;
  const foot = renderFooter(state, info, size, style).slice(-Math.max(1, all - 2));
  const top = renderHeader(state, size, style);
  const warnings = info.warnings
    .map((text) => style.palette.bad(fitText(`! ${text}`, size.columns - 1, style)))
    .slice(0, Math.max(0, all - foot.length - 2 - top.length));
  const head = [...top, ...warnings];
  const height = Math.max(0, all - head.length - foot.length);
  const middle = renderBody(state, info, size, height, style);
  const lines = [...head, ...middle.lines.slice(0, height), ...foot].slice(-Math.max(1, all));
  return { ...middle, lines, typing: isTyping(state) };
};
