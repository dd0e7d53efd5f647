import type { Evidence } from '../decide/evidence.ts';
import { fitColumns } from '../output/fit.ts';
import { findWidest, GAP, PLAIN_PALETTE, padText, truncateText } from '../output/terminal.ts';
import {
  type Area,
  breakWords,
  getGlyph,
  paintVerdict,
  renderDetails,
  renderEvidence,
  renderKeyHelp,
  renderPreview,
  renderSummary,
  type Style,
} from './pages.ts';
import {
  getCurrent,
  getFilter,
  listTargets,
  listVisible,
  type ReviewItem,
  type Room,
  type State,
} from './state.ts';

/** A review as lines of a terminal. Pure. */

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Frame extends Room {
  /** As many as the terminal has, but one. The last one holds the cursor. */
  readonly lines: readonly string[];
}

export interface ReviewInfo {
  readonly warnings: readonly string[];
  /** What is known around the items, as far as it has been read. */
  readonly evidence: ReadonlyMap<string, Evidence>;
  /** Where decisions are sent, as soon as it is known. */
  readonly account: readonly string[];
  readonly action: string;
}

export function renderFrame(info: ReviewInfo, state: State, size: Size, style: Style): Frame {
  const all = size.rows - 1;
  const area = { ...style, width: size.columns - 1 };
  const { heading, bad, faint } = style.palette;
  const foot = renderFooter(state, info, size, area).slice(-Math.max(1, all - 2));
  const warnings = info.warnings.map((text) => bad(truncateText(`! ${text}`, area.width, style)));
  const head = [
    heading(truncateText(formatCounts(state), area.width, style)),
    ...warnings.slice(0, Math.max(0, all - foot.length - 3)),
  ];
  const height = Math.max(0, all - head.length - foot.length);
  const join = (body: readonly string[]) =>
    [...head, ...body.slice(0, height), ...foot].slice(-Math.max(1, all));
  const mode = state.mode === 'reason' ? state.back : state.mode;
  if (mode === 'list' || mode === 'filter') {
    const { page, body } = renderListBody(state, info, size, height, area);
    return { lines: join(body), page, maxScroll: 0 };
  }
  const content = ['', ...renderPage(state, info, area)];
  const maxScroll = Math.max(0, content.length - height);
  const top = Math.min(state.scroll, maxScroll);
  const body = padLines(content.slice(top, top + height), height);
  if (top < maxScroll) body[body.length - 1] = faint('... PgDn for more');
  return { lines: join(body), page: Math.max(1, height - 1), maxScroll };
}

function renderPage(state: State, { evidence, account }: ReviewInfo, area: Area): readonly string[] {
  if (state.mode === 'help') return renderKeyHelp(area);
  const isDetail = state.mode === 'detail' || state.mode === 'reason';
  if (isDetail) return renderDetails(state, evidence.get(state.currentKey ?? ''), area);
  return renderSummary(state, account, area);
}

/** The item whose evidence is on the screen: from 100 columns on it stands beside the list, else on its page. */
export function findWanted(state: State, { columns }: Size): string | undefined {
  const shown = state.mode === 'reason' ? state.back : state.mode;
  const isShown = shown === 'detail' || (columns >= 100 && (shown === 'list' || shown === 'filter'));
  return isShown ? getCurrent(state)?.key : undefined;
}

/** `Inbox: 5 waiting, 1 to approve, 2 of 5` */
function formatCounts(state: State): string {
  const decided = [...state.decisions.values()];
  const count = (verdict: string) => decided.filter((decision) => decision.verdict === verdict).length;
  const counts = [
    [count('approve'), 'to approve'],
    [count('reject'), 'to reject'],
    [count('skip'), 'skipped'],
    [state.selected.size, 'selected'],
  ] as const;
  const facts = [`Inbox: ${state.items.length} waiting`];
  for (const [n, words] of counts) if (n > 0) facts.push(`${n} ${words}`);
  const visible = listVisible(state);
  const at = visible.findIndex(({ key }) => key === state.currentKey) + 1;
  if (state.mode === 'detail') facts.push(`${at} of ${visible.length}`);
  else if (getFilter(state) !== '') facts.push(`${visible.length} shown: "${getFilter(state)}"`);
  return facts.join(', ');
}

/** Keys that are named below, the most needed first: as many as fit. */
const DECIDE_HINTS = ['a approve', 'r reject', 'S review', '? help'];
const LIST_HINTS = ['q quit', 'u undo', 'space select', 'Enter view', '/ filter', 'n next warning', 's skip'];
const HINTS: Readonly<Partial<Record<State['mode'], readonly string[]>>> = {
  draft: ['Enter to continue with it', 'd discard', 'q quit'],
  list: [...DECIDE_HINTS, ...LIST_HINTS],
  detail: [...DECIDE_HINTS, 'Esc back', 'u undo', 's skip', 'n next warning'],
};

/** The last lines: what is asked or said, and the keys or what is typed. */
function renderFooter(state: State, { action }: ReviewInfo, { rows }: Size, area: Area): readonly string[] {
  const { width, palette } = area;
  const { mode, isReady } = state;
  const typing = (label: string) => breakWords(label + state.input, width - 1);
  const message = state.message === '' ? [] : breakWords(state.message, width).map(palette.waiting);
  if (mode === 'filter') return typing('Filter: ');
  if (mode === 'plan') return [...message, ...typing('Save the plan to: ')];
  if (mode === 'reason') {
    const targets = listTargets(state);
    const first = state.items.find(({ key }) => key === targets[0]);
    const who = targets.length === 1 ? first?.who : targets.length;
    const recent = state.recent.slice(0, Math.max(0, Math.min(5, Math.floor(rows / 3) - 3)));
    const pick = recent.length === 0 ? '' : ', Up and Down to pick a recent one';
    return [
      ...breakWords(`Reject ${who}. Reason (the member will see it):`, width).map(palette.heading),
      ...recent.map((one) => truncateText(`  ${one === state.input ? '>' : ' '} ${one}`, width, area)),
      ...breakWords(`Enter to confirm, Esc to go back${pick}.`, width).map(palette.faint),
      ...message,
      ...typing('> '),
    ];
  }
  const send = `Enter to ${action}`;
  // Where Enter would not send yet, its place is blank.
  const summary = [isReady ? send : ' '.repeat(send.length), 'p save as a plan', 'Esc back'];
  const [first = '', ...more] = mode === 'summary' ? summary : (HINTS[mode] ?? ['Esc back']);
  let hints = first;
  for (const hint of more) if (hints.length + 2 + hint.length <= width) hints += `  ${hint}`;
  return [...message, palette.faint(truncateText(hints, width, area))];
}

/** The list and what part of it that is; beside it, or below, the current item with what is known around it. */
function renderListBody(state: State, info: ReviewInfo, size: Size, height: number, area: Area) {
  const isBeside = size.columns >= 100;
  const left = isBeside ? Math.max(58, Math.floor(size.columns * 0.55)) : area.width;
  const hasPreview = !isBeside && state.mode !== 'reason' && height >= 11;
  const below = hasPreview ? Math.min(6, Math.floor(height / 3)) : 0;
  const range = height >= 8 ? 1 : 0;
  const page = Math.max(1, height - 1 - range - below);
  const { faint } = area.palette;
  const visible = listVisible(state);
  const at = visible.findIndex(({ key }) => key === state.currentKey);
  // The current one stays in the middle.
  const top = Math.max(0, Math.min(at - Math.floor(page / 2), visible.length - page));
  const list = padLines(
    renderList(state, visible.slice(top, top + page), { ...area, width: left }),
    page + 1,
  );
  const part = `${top + 1}${getGlyph(area, 'range')}${top + page} of ${visible.length}`;
  if (range > 0) list.push(visible.length <= page ? '' : faint(padText(` ${part}`, left)));
  const side = { ...area, width: isBeside ? size.columns - left - 4 : left };
  const evidence =
    isBeside && at >= 0 ? ['', ...renderEvidence(info.evidence.get(state.currentKey ?? ''), side)] : [];
  const room = isBeside ? height : below;
  const preview = [...renderPreview(state, side), ...evidence];
  const shown = padLines(preview, room);
  if (preview.length > room && room > 0)
    shown[room - 1] = faint(truncateText('Press Enter for the rest.', side.width, area));
  if (!isBeside) return { page, body: [...list, ...shown] };
  const divider = faint(getGlyph(area, 'divider'));
  const body = padLines(list, height).map(
    (line, i) => `${line || ' '.repeat(left)} ${divider} ${shown[i] ?? ''}`,
  );
  return { page, body };
}

function padLines(lines: readonly string[], height: number): string[] {
  return Array.from({ length: Math.max(0, height) }, (_, i) => lines[i] ?? '');
}

interface Column {
  readonly title: string;
  readonly text: (item: ReviewItem) => string;
  readonly right?: true;
  readonly drop: number;
  /** A text: what it may be cut to before another column goes. */
  readonly least?: number;
}

const COLUMNS: readonly Column[] = [
  { title: 'WAITING', text: ({ waits }) => waits, right: true, drop: 2 },
  { title: 'KIND', text: ({ kind }) => kind.replace(/^time(?=sheet)|-request$/, ''), drop: 1 },
  { title: 'MEMBER', text: ({ who }) => who, drop: 0, least: 8 },
  { title: 'WHEN', text: ({ when }) => when, drop: 0, least: 8 },
  { title: 'AMOUNT', text: ({ amount }) => amount, right: true, drop: 0 },
];
const MAX_TEXT = 24;
/** Details are of use from here on. */
const MIN_DETAILS = 16;
/** Cursor, selection, decision, warning, a space. */
const MARKS = 5;

/** A heading, and a line for each of the items that are shown; the details take what the columns leave. */
function renderList(state: State, shown: readonly ReviewItem[], area: Area): readonly string[] {
  const { width, palette } = area;
  if (shown.length === 0) {
    const none = breakWords('No matches. Press Esc to clear the filter.', width);
    return ['', ...none].map((line) => padText(line, width));
  }
  const sizes = COLUMNS.map(({ title, text, drop, least }) => {
    const natural = findWidest([title, ...new Set(state.items.map(text))]);
    return least === undefined ? { natural, drop } : { natural: Math.min(natural, MAX_TEXT), drop, least };
  });
  const { kept, widths } = fitColumns(sizes, width - MARKS);
  const left = Math.max(0, width - MARKS - widths.reduce((sum, each) => sum + each + GAP, 0));
  const join = (read: (column: Column) => string) => {
    const cells = COLUMNS.flatMap((column, index) => {
      const room = widths[kept.indexOf(index)];
      return room === undefined ? [] : padText(truncateText(read(column), room, area), room, column.right);
    });
    return padText(cells.join(' '.repeat(GAP)), width - MARKS - left);
  };
  const fill = (text: string) => padText(left < MIN_DETAILS ? '' : truncateText(text, left, area), left);
  const lines = shown.map((item) => {
    const [warning, ...more] = item.warnings;
    const about = [item.about, item.note && `"${item.note}"`].filter(Boolean).join(': ');
    const details = warning === undefined ? about : warning + (more.length === 0 ? '' : ` (+${more.length})`);
    const verdict = state.decisions.get(item.key)?.verdict;
    const isCurrent = item.key === state.currentKey;
    // One colour for the whole line of the cursor.
    const style = isCurrent ? { ...area, palette: PLAIN_PALETTE } : area;
    const warn = warning === undefined ? PLAIN_PALETTE.waiting : style.palette.waiting;
    const line = [
      isCurrent ? getGlyph(area, 'cursor') : ' ',
      state.selected.has(item.key) ? getGlyph(area, 'selected') : ' ',
      verdict === undefined ? ' ' : paintVerdict(style, verdict, getGlyph(area, verdict)),
      warn(warning === undefined ? ' ' : '!'),
      ` ${join(({ text }) => text(item))}`,
      warn(fill(details)),
    ].join('');
    return isCurrent ? palette.cursor(line) : line;
  });
  return [palette.faint(' '.repeat(MARKS) + join(({ title }) => title) + fill('DETAILS')), ...lines];
}
