import type { Evidence } from '../decide/evidence.ts';
import { isTyping, type Room } from './keys.ts';
import { formatRange, renderList } from './list.ts';
import {
  renderDetails,
  renderDraft,
  renderEvidence,
  renderKeyHelp,
  renderPreview,
  renderSummary,
} from './pages.ts';
import { getCurrent, getFilter, listTargets, listVisible, type State } from './state.ts';
import { breakWords, fitText, getGlyph, type Size, type Style, takeTail } from './style.ts';

/** A review as lines of a terminal. Pure. */

export interface Frame extends Room {
  /** As many as the terminal has, but one. The last one holds the cursor. */
  readonly lines: readonly string[];
  /** Whether something is typed, so that the cursor is of use. */
  readonly typing: boolean;
}

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

/** The whole terminal but its last line. */
export function renderFrame(info: ReviewInfo, state: State, size: Size, style: Style): Frame {
  const all = size.rows - 1;
  const foot = renderFooter(state, info, size, style).slice(-Math.max(1, all - 2));
  const top = renderHeader(state, size, style);
  const warnings = info.warnings
    .map((text) => style.palette.bad(fitText(`! ${text}`, size.columns - 1, style)))
    .slice(0, Math.max(0, all - foot.length - 2 - top.length));
  const head = [...top, ...warnings];
  const height = Math.max(0, all - head.length - foot.length);
  const content = renderPage(state, info, size.columns - 1, style);
  const body =
    content === undefined
      ? renderListBody(state, info, size, height, style)
      : renderPageBody(['', ...content], state, height, style);
  const lines = [...head, ...body.lines.slice(0, height), ...foot].slice(-Math.max(1, all));
  return { ...body, lines, typing: isTyping(state) };
}

/** Items below the cursor for which it is read beforehand. */
const AHEAD = 3;

/** Keys of the items whose evidence is on the screen, or soon will be. */
export function listWanted(state: State, size: Size): readonly string[] {
  const { mode, back, currentKey } = state;
  const shown = mode === 'reason' ? back : mode;
  if (currentKey === undefined || !['list', 'filter', 'detail'].includes(shown)) return [];
  if (!hasPanel(size)) return shown === 'detail' ? [currentKey] : [];
  const keys = listVisible(state).map(({ key }) => key);
  const at = keys.indexOf(currentKey);
  return at < 0 ? [] : keys.slice(at, at + AHEAD + 1);
}

/** From 100 columns on the evidence stands beside the list. */
function hasPanel({ columns }: Size): boolean {
  return columns >= 100;
}

/** The numbers stand first: a terminal of few lines has one for them. */
function renderHeader(state: State, { columns, rows }: Size, style: Style): readonly string[] {
  const decided = [...state.decisions.values()];
  const count = (verdict: string) => decided.filter((decision) => decision.verdict === verdict).length;
  const counts = [
    [count('approve'), 'to approve'],
    [count('reject'), 'to reject'],
    [count('skip'), 'skipped'],
    [state.selected.size, 'selected'],
  ] as const;
  const facts = [
    `${state.items.length} waiting`,
    ...counts.flatMap(([n, words]) => (n === 0 ? [] : [`${n} ${words}`])),
  ];
  const visible = listVisible(state);
  const filter = getFilter(state);
  if (state.mode === 'detail')
    facts.push(`${visible.findIndex(({ key }) => key === state.currentKey) + 1} of ${visible.length}`);
  else if (filter !== '') facts.push(`${visible.length} shown: "${filter}"`);
  const width = columns - 1;
  const lines = breakWords(`Inbox: ${facts.join(', ')}`, width);
  const most = rows < 12 ? 1 : 2;
  const last = lines.length <= most ? [] : [fitText(lines.slice(most - 1).join(' '), width, style)];
  return [...lines.slice(0, most - last.length), ...last].map(style.palette.heading);
}

/** Keys that are named below, the most needed first: as many as fit. */
const DECIDE_HINTS = ['a approve', 'r reject', 'S review', '? help'];
const LIST_HINTS = ['q quit', 'u undo', 'space select', 'Enter view', '/ filter', 'n next warning', 's skip'];

function listHints({ mode, isReady }: State, action: string): readonly string[] {
  const send = `Enter to ${action}`;
  switch (mode) {
    case 'draft':
      return ['Enter to continue with it', 'd discard', 'q quit'];
    case 'list':
      return [...DECIDE_HINTS, ...LIST_HINTS];
    case 'detail':
      return [...DECIDE_HINTS, 'Esc back', 'u undo', 's skip', 'n next warning'];
    case 'summary':
      // Where Enter would not send yet, its place is blank.
      return [isReady ? send : ' '.repeat(send.length), 'p save as a plan', 'Esc back'];
    default:
      return ['Esc back'];
  }
}

/** The last lines: what is asked or said, and the keys or what is typed. */
function renderFooter(state: State, { action }: ReviewInfo, size: Size, style: Style): readonly string[] {
  const width = size.columns - 1;
  const { heading, faint, waiting } = style.palette;
  const typing = (label: string) => `${label}${takeTail(state.input, width - label.length - 1, style)}`;
  const message = state.message === '' ? [] : breakWords(state.message, width).map(waiting);
  if (state.mode === 'filter') return [typing('Filter: ')];
  if (state.mode === 'plan') return [...message, typing('Save the plan to: ')];
  if (state.mode !== 'reason') {
    let hints = '';
    for (const hint of listHints(state, action))
      if (hints === '') hints = hint;
      else if (hints.length + 2 + hint.length <= width) hints += `  ${hint}`;
    return [...message, faint(fitText(hints, width, style))];
  }
  const targets = listTargets(state);
  const first = state.items.find(({ key }) => key === targets[0]);
  const who = targets.length === 1 ? first?.who : targets.length;
  const recent = state.recent.slice(0, Math.max(0, Math.min(5, Math.floor(size.rows / 3) - 3)));
  const pick = recent.length === 0 ? '' : ', Up and Down to pick a recent one';
  return [
    ...breakWords(`Reject ${who}. Reason (the member will see it):`, width).map(heading),
    ...recent.map((reason) => fitText(`  ${reason === state.input ? '>' : ' '} ${reason}`, width, style)),
    ...breakWords(`Enter to confirm, Esc to go back${pick}.`, width).map(faint),
    ...message,
    typing('> '),
  ];
}

/** The list and how much of it that is; beside it, or below, the current item with what is known around it. */
function renderListBody(state: State, info: ReviewInfo, size: Size, height: number, style: Style): Frame {
  const isBeside = hasPanel(size);
  const left = isBeside ? Math.max(58, Math.floor(size.columns * 0.55)) : size.columns - 1;
  const below = isBeside || state.mode === 'reason' ? 0 : getPreviewHeight(height);
  // The line of the range is left out where every line counts.
  const range = below > 0 || (height >= 6 && listVisible(state).length > height - 1) ? 1 : 0;
  const page = Math.max(1, height - 1 - range - below);
  const { faint } = style.palette;
  const list = padLines(renderList(state, left, page, style), page + 1);
  if (range > 0) list.push(faint(fitText(` ${formatRange(state, page, style)}`, left, style).padEnd(left)));
  const width = isBeside ? size.columns - left - 4 : left;
  const preview = renderPreview(state, width, style);
  const room = { page, maxScroll: 0, typing: false };
  if (!isBeside) {
    const lines = [...list, ...padLines(cutLines(preview, below, width, style), below)];
    return { ...room, lines };
  }
  const key = getCurrent(state)?.key;
  const evidence = key === undefined ? [] : ['', ...renderEvidence(info.evidence.get(key), width, style)];
  const shown = cutLines([...preview, ...evidence], height, width, style);
  const divider = faint(getGlyph(style, 'divider'));
  const lines = padLines(list, height).map(
    (line, i) => `${line === '' ? ' '.repeat(left) : line} ${divider} ${shown[i] ?? ''}`,
  );
  return { ...room, lines };
}

/** Lines below the list where the terminal is high enough. */
function getPreviewHeight(rows: number): number {
  if (rows >= 16) return Math.min(6, Math.floor(rows / 3));
  return rows >= 11 ? 3 : 0;
}

function padLines(lines: readonly string[], height: number): string[] {
  return Array.from({ length: Math.max(0, height) }, (_, i) => lines[i] ?? '');
}

/** So many lines at most; the last one says that there are more. */
function cutLines(lines: readonly string[], height: number, width: number, style: Style): readonly string[] {
  if (lines.length <= height) return lines;
  const more = style.palette.faint(fitText('Press Enter for the rest.', width, style));
  return [...lines.slice(0, height - 1), more];
}

/** The lines of a page; undefined for the list. */
function renderPage(
  state: State,
  { evidence, account }: ReviewInfo,
  width: number,
  style: Style,
): readonly string[] | undefined {
  switch (state.mode === 'reason' ? state.back : state.mode) {
    case 'detail':
      return renderDetails(state, evidence.get(state.currentKey ?? ''), width, style);
    case 'summary':
    case 'plan':
      return renderSummary(state, account, width, style);
    case 'draft':
      return state.draft && renderDraft(state, state.draft, width, style);
    case 'help':
      return renderKeyHelp(width, style);
    default:
      return undefined;
  }
}

function renderPageBody(content: readonly string[], { scroll }: State, height: number, style: Style): Frame {
  const maxScroll = Math.max(0, content.length - height);
  const top = Math.min(scroll, maxScroll);
  const lines = padLines(content.slice(top, top + height), height);
  if (top < maxScroll) lines[lines.length - 1] = style.palette.faint('... PgDn for more');
  return { lines, page: Math.max(1, height - 1), maxScroll, typing: false };
}
