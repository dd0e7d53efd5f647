import type { Evidence } from '../decide/evidence.ts';
import { FINAL } from '../decide/item.ts';
import {
  findWidest,
  GAP,
  type Palette,
  PLAIN_PALETTE,
  padText,
  textWidth,
  truncateText,
  wrapPieces,
  wrapWhole,
} from '../output/terminal.ts';
import {
  type Decision,
  getCurrent,
  getFilter,
  getPage,
  listTargets,
  listVisible,
  type ReviewItem,
  type State,
} from './state.ts';

/** A review as lines of a terminal. Pure. */

export interface Style {
  readonly palette: Palette;
  readonly unicode: boolean;
}

interface Area extends Style {
  readonly width: number;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface ReviewInfo {
  readonly warnings: readonly string[];
  /** What is known around the items, as far as it has been read. */
  readonly evidence: ReadonlyMap<string, Evidence>;
  readonly account: readonly string[];
  readonly action: string;
}

/** From so many columns on, what is known around the current item stands beside the list, else on its page. */
const WIDE = 100;

/** @returns as many lines as the terminal has, but one: the last one holds the cursor; and the room for `pressKey` */
export function renderFrame(info: ReviewInfo, state: State, size: Size, style: Style) {
  const all = size.rows - 1;
  const area = { ...style, width: size.columns - 1 };
  const { heading, bad, faint } = style.palette;
  const foot = renderFooter(state, info, size, area).slice(-Math.max(1, all - 2));
  const warnings = info.warnings.map((text) => bad(truncateText(`! ${text}`, area.width, style)));
  const head = [
    heading(truncateText(formatCounts(state, area), area.width, style)),
    ...warnings.slice(0, Math.max(0, all - foot.length - 3)),
  ];
  const height = Math.max(0, all - head.length - foot.length);
  const join = (body: readonly string[]) =>
    [...head, ...body.slice(0, height), ...foot].slice(-Math.max(1, all));
  const shown = getPage(state);
  if (shown === 'list' || shown === 'filter') {
    const page = Math.max(1, height - 2);
    return { lines: join(renderListBody(state, info, size, height, page, area)), page, maxScroll: 0 };
  }
  const content =
    shown === 'help'
      ? KEY_HELP.flatMap(([keys, what]) => renderFact(keys, what, area))
      : shown === 'detail'
        ? renderDetails(state, info.evidence, area)
        : renderSummary(state, info.account, area);
  const maxScroll = Math.max(0, content.length + 1 - height);
  const top = Math.min(state.scroll, maxScroll);
  const body = padLines(['', ...content].slice(top), height);
  if (top < maxScroll) body[body.length - 1] = faint('... PgDn for more');
  return { lines: join(body), page: Math.max(1, height - 1), maxScroll };
}

export function findWanted(state: State, { columns }: Size): string | undefined {
  const shown = getPage(state);
  const isShown = shown === 'detail' || (columns >= WIDE && (shown === 'list' || shown === 'filter'));
  return isShown ? getCurrent(state)?.key : undefined;
}

function formatCounts(state: State, { width }: Area): string {
  const decided = [...state.decisions.values()];
  const count = (verdict: string) => decided.filter((decision) => decision.verdict === verdict).length;
  const counts = [
    [count('approve'), 'to approve'],
    [count('reject'), 'to reject'],
    [count('skip'), 'skipped'],
    [state.selected.size, 'selected'],
  ] as const;
  const waiting = `Inbox: ${state.items.length} waiting`;
  const facts: string[] = [];
  for (const [n, words] of counts) if (n > 0) facts.push(`${n} ${words}`);
  const visible = listVisible(state);
  const at = visible.findIndex(({ key }) => key === state.currentKey) + 1;
  if (state.mode === 'detail') facts.push(`${at} of ${visible.length}`);
  else if (getFilter(state) !== '') facts.push(`${visible.length} shown: "${getFilter(state)}"`);
  const flagged = `${state.flagged} with ${state.flagged === 1 ? 'a warning' : 'warnings'}`;
  const whole = [waiting, ...(state.flagged > 0 ? [flagged] : []), ...facts].join(', ');
  // On a narrow terminal what was decided goes first.
  return textWidth(whole) > width ? [waiting, ...facts].join(', ') : whole;
}

const DECIDE_HINTS = 'a approve  r reject  S review  ? help  ';
const HINTS: Readonly<Partial<Record<State['mode'], string>>> = {
  list: `${DECIDE_HINTS}q quit  u undo  space select  Enter view  c select clean  / filter  n next warning  s skip`,
  detail: `${DECIDE_HINTS}Esc back  u undo  s skip  n next warning`,
};

function renderFooter(state: State, { action }: ReviewInfo, { rows }: Size, area: Area): readonly string[] {
  const { width, palette } = area;
  const { mode, isDeaf } = state;
  const typing = (label: string) => breakWords(label + state.input, width - 1);
  const message = state.message === '' ? [] : breakWords(state.message, width).map(palette.waiting);
  if (mode === 'filter') return typing('Filter: ');
  if (mode === 'reason') {
    const [target, ...others] = listTargets(state);
    const who = others.length > 0 ? others.length + 1 : state.items.find(({ key }) => key === target)?.who;
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
  // Where Enter would not send yet, its place is blank.
  const send = isDeaf ? '' : `Enter to ${action}`;
  const hints =
    mode === 'summary' ? `${send.padEnd(9 + action.length)}  Esc back` : (HINTS[mode] ?? 'Esc back');
  // Only whole hints are shown.
  const end = hints.length <= width ? hints.length : Math.max(0, hints.lastIndexOf('  ', width));
  return [...message, palette.faint(truncateText(hints.slice(0, end) || hints, width, area))];
}

/** The list and what part of it that is; beside it the current item with what is known around it. */
function renderListBody(
  state: State,
  info: ReviewInfo,
  { columns }: Size,
  height: number,
  page: number,
  area: Area,
): readonly string[] {
  const { faint, heading, waiting } = area.palette;
  const left = columns >= WIDE ? getListWidth(state, columns) : area.width;
  const visible = listVisible(state);
  const item = getCurrent(state);
  const at = item === undefined ? 0 : visible.indexOf(item);
  // The current one stays in the middle.
  const top = Math.max(0, Math.min(at - Math.floor(page / 2), visible.length - page));
  const list = padLines(
    renderList(state, visible.slice(top, top + page), { ...area, width: left }),
    page + 1,
  );
  const part = ` ${top + 1}${getGlyph(area, 'range')}${top + page} of ${visible.length}`;
  list.push(visible.length <= page ? '' : faint(padText(part, left)));
  if (columns < WIDE) return list;
  const side = { ...area, width: columns - left - 4 };
  const title = [item?.who, item?.about ?? item?.kind, item?.when, item?.amount].map((text, i) => ({
    text: i < 3 ? `${text},` : `${text}`,
  }));
  const preview = item && [
    ...wrapPieces('', title, { width: side.width, indent: 0 })
      .flatMap((line) => breakWords(line, side.width))
      .map(heading),
    ...renderDecision(state, item.key, side),
    ...item.warnings.flatMap((text) => breakWords(`! ${text}`, side.width).map(waiting)),
    ...(item.note === undefined ? [] : breakWords(`"${item.note}"`, side.width)),
    '',
    ...renderEvidence(info.evidence.get(item.key), side),
  ];
  const shown = padLines(preview ?? [], height);
  if ((preview?.length ?? 0) > height) shown[height - 1] = faint('Press Enter for the rest.');
  const divider = faint(getGlyph(area, 'divider'));
  return padLines(list, height).map((line, i) => `${line || ' '.repeat(left)} ${divider} ${shown[i] ?? ''}`);
}

/** More than half, and as much as who, how much, what and when take, as long as the evidence has its room. */
function getListWidth({ items }: State, columns: number): number {
  const widths = COLUMNS.slice(0, -1).map((column) => getColumnWidth(column, items));
  const needed = MARKS + widths.reduce((sum, one) => sum + one + GAP, -GAP);
  return Math.max(58, Math.floor(columns * 0.55), Math.min(needed, columns - 43));
}

function padLines(lines: readonly string[], height: number): string[] {
  return Array.from({ length: Math.max(0, height) }, (_, i) => lines[i] ?? '');
}

const COLUMNS: readonly (readonly [title: string, text: (item: ReviewItem) => string, right?: true])[] = [
  ['MEMBER', ({ who }) => who],
  ['AMOUNT', ({ amount }) => amount, true],
  ['KIND', ({ kind }) => kind],
  ['WHEN', ({ when }) => when],
  ['WAITING', ({ waits }) => waits, true],
];
/** The places of the columns, the most needed first: where there is no room, the others are left out. */
const BY_NEED = [0, 1, 3, 2, 4];
const MAX_TEXT = 24;
const MIN_TEXT = 8;
/** Cursor, selection, decision, warning, a space. */
const MARKS = 5;

function getColumnWidth([title, text]: (typeof COLUMNS)[number], items: readonly ReviewItem[]): number {
  return Math.min(MAX_TEXT, findWidest([title, ...new Set(items.map(text))]));
}

function renderList(state: State, shown: readonly ReviewItem[], area: Area): readonly string[] {
  const { width, palette } = area;
  if (shown.length === 0) {
    const none = breakWords('No matches. Press Esc to clear the filter.', width);
    return ['', ...none].map((line) => padText(line, width));
  }
  let left = width - MARKS;
  const widths = COLUMNS.map((column) => getColumnWidth(column, state.items));
  for (const i of BY_NEED) {
    const widest = widths[i] ?? 0;
    const room = i === 0 ? Math.min(widest, left) : widest <= left ? widest : 0;
    left = room === 0 ? 0 : Math.max(0, left - room - GAP);
    widths[i] = room;
  }
  const join = (read: (column: (typeof COLUMNS)[number]) => string, details: string) => {
    const cells = COLUMNS.flatMap((column, i) => {
      const room = widths[i] ?? 0;
      return room === 0 ? [] : padText(truncateText(read(column), room, area), room, column[2]);
    });
    if (left >= MIN_TEXT) cells.push(truncateText(details, left, area));
    return padText(cells.join(' '.repeat(GAP)), width - MARKS);
  };
  const lines = shown.map((item) => {
    const [warning, ...more] = item.warnings;
    const about = [item.about, item.note && `"${item.note}"`].filter(Boolean).join(': ');
    const details = warning === undefined ? about : warning + (more.length === 0 ? '' : ` (+${more.length})`);
    const verdict = state.decisions.get(item.key)?.verdict;
    const isCurrent = item.key === state.currentKey;
    // One colour for the whole line of the cursor.
    const style = isCurrent ? { ...area, palette: PLAIN_PALETTE } : area;
    const line = [
      isCurrent ? getGlyph(area, 'cursor') : ' ',
      state.selected.has(item.key) ? getGlyph(area, 'selected') : ' ',
      verdict === undefined ? ' ' : paintVerdict(style, verdict),
      warning === undefined ? ' ' : style.palette.waiting('!'),
      ` ${join(([, text]) => text(item), details)}`,
    ].join('');
    return isCurrent ? palette.cursor(line) : line;
  });
  return [palette.faint(' '.repeat(MARKS) + join(([title]) => title, 'DETAILS')), ...lines];
}

const NAMES = ['cursor', 'selected', 'approve', 'reject', 'skip', 'divider', 'range', 'bar'] as const;

function getGlyph({ unicode }: Style, name: (typeof NAMES)[number]): string {
  return (unicode ? '›●✓✗–│–█' : '>*+x-|-#').charAt(NAMES.indexOf(name));
}

/** The glyphs tell decisions apart; colour only helps. */
function paintVerdict(style: Style, verdict: Decision['verdict'], text = getGlyph(style, verdict)): string {
  const { good, bad, faint } = style.palette;
  return { approve: good, reject: bad, skip: faint }[verdict](text);
}

/** What fits keeps the blanks at its end, as they are typed. */
function breakWords(text: string, width: number): readonly string[] {
  return textWidth(text) <= width ? [text] : wrapWhole(text, Math.max(1, width));
}

function renderDetails(state: State, evidence: ReviewInfo['evidence'], area: Area): readonly string[] {
  const item = getCurrent(state);
  if (item === undefined) return [];
  const facts = item.facts().flatMap(([label, text]) => renderFact(label, text, area));
  const around = renderEvidence(evidence.get(item.key), area);
  return [...facts, ...renderDecision(state, item.key, area), '', ...around];
}

function renderDecision(state: State, key: string, area: Area): readonly string[] {
  const { verdict, reason = '' } = state.decisions.get(key) ?? {};
  if (verdict === undefined) return [];
  const words = { approve: 'approve', skip: 'left undecided', reject: `reject: ${reason}` }[verdict];
  const lines = breakWords(`${getGlyph(area, verdict)} ${words}`, area.width);
  return lines.map((line) => paintVerdict(area, verdict, line));
}

const LABEL_WIDTH = 15;

function renderFact(label: string, text: string, { width, palette }: Area): readonly string[] {
  const lines = text.split('\n').flatMap((line) => breakWords(line, width - LABEL_WIDTH));
  const painted = label === 'warning' ? lines.map(palette.waiting) : lines;
  return painted.map((line, i) => palette.faint((i === 0 ? label : '').padEnd(LABEL_WIDTH)) + line);
}

const MAX_BAR = 24;

/** @param parts undefined as long as they are read */
export function renderEvidence(parts: Evidence | undefined, area: Area): readonly string[] {
  const { palette, width } = area;
  if (parts === undefined) return [palette.faint('loading...')];
  return parts.flatMap(({ label, lines, bars }) => {
    if (bars === undefined) return renderFact(label, lines.join('\n'), area);
    const widest = (name: 'label' | 'text' | 'note') => findWidest(bars.map((bar) => bar[name]));
    const [labels, texts] = [widest('label'), widest('text')];
    const room = Math.max(0, Math.min(MAX_BAR, width - labels - texts - widest('note') - 6));
    const most = bars.reduce((highest, { amount }) => Math.max(highest, amount), 1);
    const chart = bars.map(({ label: days, amount, text, note }) => {
      const bar = getGlyph(area, 'bar').repeat(Math.round((amount / most) * room));
      return `${padText(days, labels)} ${bar.padEnd(room)}  ${padText(text, texts, true)} ${note}`.trimEnd();
    });
    const below = [...chart, ...lines].map((line) => truncateText(`  ${line}`, width, area));
    return [palette.faint(truncateText(label, width, area)), ...below];
  });
}

function renderSummary(state: State, account: readonly string[], area: Area): readonly string[] {
  const { items, decisions } = state;
  const { palette, width } = area;
  const list = (verdict: string) => items.filter(({ key }) => decisions.get(key)?.verdict === verdict);
  const [approved, rejected] = [list('approve'), list('reject')];
  const flagged = approved.filter(({ warnings }) => warnings.length > 0);
  const clean = approved.filter(({ warnings }) => warnings.length === 0);
  const flaggedWords = flagged.length > 0 ? ` (${flagged.length} with warnings)` : '';
  const words = [
    ...(approved.length > 0 ? [`approve ${approved.length}${flaggedWords}`] : []),
    ...(rejected.length > 0 ? [`reject ${rejected.length}`] : []),
  ].join(' and ');
  const undecided = items.length - approved.length - rejected.length;
  const rest = undecided === 0 ? 'None left undecided.' : `${undecided} left undecided.`;
  const indent = ' '.repeat(4);
  const wrap = (text: string) => breakWords(text, width - indent.length).map((line) => indent + line);
  const renderSection = (title: string, section: readonly ReviewItem[]): readonly string[] => {
    const lines = section.flatMap(({ key, who, kind, when, amount, warnings }) => {
      const { verdict, reason } = decisions.get(key) ?? { verdict: 'skip' };
      const [first = '', ...more] = wrap(`${who}  ${kind}  ${when}  ${amount}`);
      return [
        `  ${paintVerdict(area, verdict)} ${first.trimStart()}`,
        ...more,
        ...warnings.flatMap((text) => wrap(`! ${text}`)).map(palette.waiting),
        ...(reason === undefined ? [] : wrap(`"${reason}"`)),
      ];
    });
    return lines.length === 0 ? [] : [...breakWords(title, width).map(palette.heading), ...lines, ''];
  };
  return [
    ...breakWords(words.charAt(0).toUpperCase() + words.slice(1), width).map(palette.heading),
    ...account.map((line) => palette.faint(truncateText(line, width, area))),
    ...breakWords(FINAL, width),
    '',
    // The rejections, which cannot be taken back in silence, before what nothing is to be said of.
    ...renderSection(`Approve ${flagged.length} with warnings`, flagged),
    ...renderSection(`Reject ${rejected.length}`, rejected),
    ...renderSection(`Approve ${clean.length}`, clean),
    palette.faint(truncateText(rest, width, area)),
  ];
}

const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ['a', 'approve'],
  ['r', 'reject, with a reason'],
  ['s', 'skip: leave it undecided'],
  ['u', 'undo the last decision'],
  ['space Tab', 'select; a, r and s then apply to all selected'],
  ['A', 'select all shown'],
  ['c', 'select all shown without a warning'],
  ['Up Down k j', 'move'],
  ['PgUp PgDn', 'move one page'],
  ['g G', 'go to the first or last'],
  ['n', 'go to the next with a warning'],
  ['Enter Right', 'show the details'],
  ['Esc Left', 'back; clear the selection and the filter'],
  ['/', 'filter by name, kind or text'],
  ['S', 'review your decisions; Enter then sends them'],
  ['q', 'quit without sending; your decisions are kept as a draft'],
];
