import type { Evidence } from '../decide/evidence.ts';
import { findWidest, type Palette, padText, textWidth, truncateText, wrapText } from '../output/terminal.ts';
import { type Decision, getCurrent, listDecisions, type ReviewItem, type State } from './state.ts';

/** What is told in whole lines: one item and what is known around it, what would be sent, the keys; and how all looks. */

export interface Style {
  readonly palette: Palette;
  readonly unicode: boolean;
}

/** What lines of at most so many columns look like. */
export interface Area extends Style {
  readonly width: number;
}

const NAMES = ['cursor', 'selected', 'approve', 'reject', 'skip', 'divider', 'range', 'bar'] as const;

export function getGlyph({ unicode }: Style, name: (typeof NAMES)[number]): string {
  return (unicode ? '›●✓✗–│–█' : '>*+x-|-#').charAt(NAMES.indexOf(name));
}

/** The glyphs tell decisions apart; colour only helps. */
export function paintVerdict(style: Style, verdict: Decision['verdict'], text: string): string {
  const { good, bad, faint } = style.palette;
  return { approve: good, reject: bad, skip: faint }[verdict](text);
}

/** Words on lines of at most so many columns; a longer word is broken. */
export function breakWords(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  if (textWidth(text) <= room) return [text];
  const words = text.split(' ').flatMap((word) => {
    const parts = [''];
    for (const { segment } of new Intl.Segmenter().segment(word)) {
      const last = parts.pop() ?? '';
      if (last !== '' && textWidth(last + segment) > room) parts.push(last, segment);
      else parts.push(last + segment);
    }
    return parts;
  });
  return wrapText('', words.join(' '), room);
}

/** The current item in a few lines, beside the list or below. */
export function renderPreview(state: State, area: Area): readonly string[] {
  const item = getCurrent(state);
  if (item === undefined) return [];
  const { heading, waiting } = area.palette;
  const facts = item.facts();
  const find = (...labels: readonly string[]) => facts.find(([label]) => labels.includes(label))?.[1];
  const parts = [item.who, item.about ?? item.kind, find('when'), find('days', 'hours', 'pay')];
  const [first = '', ...more] = breakWords(parts.filter(Boolean).join(', '), area.width);
  return [
    heading(first),
    ...more,
    ...renderDecision(state, item.key, area),
    ...item.warnings.flatMap((text) => breakWords(`! ${text}`, area.width).map(waiting)),
    ...(item.note === undefined ? [] : breakWords(`"${item.note}"`, area.width)),
  ];
}

export function renderDetails(state: State, evidence: Evidence | undefined, area: Area): readonly string[] {
  const item = getCurrent(state);
  if (item === undefined) return [];
  return [
    ...item.facts().flatMap(([label, text]) => renderFact(label, text, area)),
    ...renderDecision(state, item.key, area),
    '',
    ...renderEvidence(evidence, area),
  ];
}

function renderDecision(state: State, key: string, area: Area): readonly string[] {
  const { verdict, reason = '' } = state.decisions.get(key) ?? {};
  if (verdict === undefined) return [];
  const words = { approve: 'approve', skip: 'left undecided', reject: `reject: ${reason}` }[verdict];
  const lines = breakWords(`${getGlyph(area, verdict)} ${words}`, area.width);
  return lines.map((line) => paintVerdict(area, verdict, line));
}

const LABEL_WIDTH = 15;
const INDENT = '  ';

/** A label, and its text beside it, or below where that has no room for its longest word. */
function renderFact(label: string, text: string, { width, palette }: Area): readonly string[] {
  const widest = findWidest(text.split(/\s/));
  const isBelow = widest > width - LABEL_WIDTH && widest <= width - INDENT.length;
  const indent = isBelow ? INDENT : ' '.repeat(LABEL_WIDTH);
  const lines = text.split('\n').flatMap((line) => breakWords(line, width - indent.length));
  const [first = '', ...more] = label === 'warning' ? lines.map(palette.waiting) : lines;
  const head = isBelow
    ? [palette.faint(label), indent + first]
    : [palette.faint(label.padEnd(LABEL_WIDTH)) + first];
  return [...head, ...more.map((line) => indent + line)];
}

const MAX_BAR = 24;

/** @param parts undefined as long as they are read */
export function renderEvidence(parts: Evidence | undefined, area: Area): readonly string[] {
  const { palette, width } = area;
  if (parts === undefined) return [palette.faint(truncateText('loading...', width, area))];
  return parts.flatMap(({ label, lines, bars }) => {
    if (bars === undefined) return renderFact(label, lines.join('\n'), area);
    // The numbers stand beside the bars, and need them not.
    const widest = (name: 'label' | 'text' | 'note') => findWidest(bars.map((bar) => bar[name]));
    const [labels, texts] = [widest('label'), widest('text')];
    const room = Math.min(MAX_BAR, width - INDENT.length - labels - texts - widest('note') - 4);
    const most = bars.reduce((highest, { amount }) => Math.max(highest, amount), 1);
    const chart = bars.map((bar) => {
      const length = Math.max(0, Math.round((bar.amount / most) * room));
      const drawn = room < 3 ? '' : `${getGlyph(area, 'bar').repeat(length).padEnd(room)}  `;
      return `${padText(bar.label, labels)} ${drawn}${padText(bar.text, texts, true)} ${bar.note}`.trimEnd();
    });
    const below = [...chart, ...lines].map((line) => truncateText(INDENT + line, width, area));
    return [palette.faint(truncateText(label, width, area)), ...below];
  });
}

/**
 * All of what would be sent, with its counts; what was chosen before, as long as that is offered.
 * @param account where it goes, as soon as that is known
 */
export function renderSummary(state: State, account: readonly string[], area: Area): readonly string[] {
  const { items, decisions, draft } = state;
  const { palette, width } = area;
  const list = (verdict: string) => items.filter(({ key }) => decisions.get(key)?.verdict === verdict);
  const [approved, rejected] = [list('approve'), list('reject')];
  const flagged = approved.filter(({ warnings }) => warnings.length > 0);
  const clean = approved.filter(({ warnings }) => warnings.length === 0);
  const words = [
    approved.length > 0 ? `approve ${approved.length}` : '',
    flagged.length > 0 ? ` (${flagged.length} with warnings)` : '',
    approved.length > 0 && rejected.length > 0 ? ' and ' : '',
    rejected.length > 0 ? `reject ${rejected.length}` : '',
  ].join('');
  const counts = words === '' ? 'no decisions are left.' : words.charAt(0).toUpperCase() + words.slice(1);
  const undecided = items.length - listDecisions(state).length;
  const rest = undecided === 0 ? 'Nothing else is waiting.' : `${undecided} left undecided.`;
  const title = draft === undefined ? counts : `Draft saved ${draft.saved}: ${counts}`;
  const gone = draft?.gone ? [`Dropped ${draft.gone}: no longer waiting, or changed since.`] : [];
  return [
    ...breakWords(title, width).map(palette.heading),
    ...account.map((line) => palette.faint(truncateText(line, width, area))),
    ...gone.flatMap((line) => breakWords(line, width)),
    '',
    // The rejections, which cannot be taken back in silence, before what nothing is to be said of.
    ...renderSection(`Approve ${flagged.length} with warnings`, flagged, state, area),
    ...renderSection(`Reject ${rejected.length}`, rejected, state, area),
    ...renderSection(`Approve ${clean.length}`, clean, state, area),
    ...(draft === undefined ? [palette.faint(truncateText(rest, width, area))] : []),
  ];
}

function renderSection(title: string, list: readonly ReviewItem[], { decisions }: State, area: Area) {
  if (list.length === 0) return [];
  const { heading, waiting } = area.palette;
  const indent = ' '.repeat(6);
  const wrap = (text: string) => breakWords(text, area.width - indent.length).map((line) => indent + line);
  const lines = list.flatMap(({ key, who, kind, when, amount, warnings }) => {
    const { verdict, reason } = decisions.get(key) ?? { verdict: 'skip' };
    const [first = '', ...more] = wrap(`${who}  ${kind}  ${when}  ${amount}`);
    return [
      `  ${paintVerdict(area, verdict, getGlyph(area, verdict))} ${first.trimStart()}`,
      ...more,
      ...warnings.flatMap((text) => wrap(`! ${text}`)).map(waiting),
      ...(reason === undefined ? [] : wrap(`"${reason}"`)),
    ];
  });
  return [...breakWords(title, area.width).map(heading), ...lines, ''];
}

const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ['a', 'approve'],
  ['r', 'reject, with a reason'],
  ['s', 'skip: leave it undecided'],
  ['u', 'undo the last decision'],
  ['space Tab', 'select; a, r and s then apply to all selected'],
  ['A', 'select all shown, or none'],
  ['Up Down k j', 'move'],
  ['PgUp PgDn', 'move one page'],
  ['g G', 'go to the first or last'],
  ['n', 'go to the next with a warning'],
  ['Enter Right', 'show the details'],
  ['Esc Left', 'back; clear the selection and the filter'],
  ['/', 'filter by name, type or text'],
  ['S', 'review your decisions; Enter then sends them, p saves them as a plan'],
  ['q', 'quit without sending; your decisions are kept as a draft'],
];

export function renderKeyHelp(area: Area): readonly string[] {
  return KEY_HELP.flatMap(([keys, what]) => renderFact(keys, what, area));
}
