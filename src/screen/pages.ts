import type { Evidence, EvidenceBar } from '../decide/evidence.ts';
import { findWidest, type Paint, padText } from '../output/terminal.ts';
import {
  type Decision,
  getCurrent,
  listDecisions,
  type OfferedDraft,
  type ReviewItem,
  type State,
} from './state.ts';
import { breakWords, fitText, getGlyph, getVerdictPaint, type Style } from './style.ts';

/** What is told in whole lines: one item and what is known around it, what would be sent, the keys. */

/** The current item in a few lines, below the list. */
export function renderPreview(state: State, width: number, style: Style): readonly string[] {
  const item = getCurrent(state);
  if (item === undefined) return [];
  const facts = item.facts();
  const find = (...labels: readonly string[]) => facts.find(([label]) => labels.includes(label))?.[1];
  const parts = [item.who, item.about ?? item.kind, find('when'), find('days', 'hours', 'pay')];
  const [first = '', ...more] = breakWords(parts.filter(Boolean).join(', '), width);
  return [
    style.palette.heading(first),
    ...more,
    ...renderDecision(state, item.key, width, style),
    ...item.warnings.flatMap((text) => renderMarked('!', text, width, style.palette.waiting)),
    ...(item.note === undefined ? [] : breakWords(`"${item.note}"`, width)),
  ];
}

/** All that is known of the current item, and around it. */
export function renderDetails(
  state: State,
  evidence: Evidence | undefined,
  width: number,
  style: Style,
): readonly string[] {
  const item = getCurrent(state);
  if (item === undefined) return [];
  const decision = renderDecision(state, item.key, width, style);
  return [
    ...item.facts().flatMap(([label, text]) => renderFact(label, text, width, style)),
    ...(decision.length === 0 ? [] : ['', ...decision]),
    '',
    ...renderEvidence(evidence, width, style),
  ];
}

/** @param parts undefined as long as they are read */
export function renderEvidence(parts: Evidence | undefined, width: number, style: Style): readonly string[] {
  const { faint } = style.palette;
  if (parts === undefined) return [faint(fitText('loading...', width, style))];
  return parts.flatMap(({ label, lines, bars }) =>
    bars === undefined
      ? renderFact(label, lines.join('\n'), width, style)
      : [
          faint(fitText(label, width, style)),
          ...renderBars(bars, width, style),
          ...lines.map((line) => fitText(INDENT + line, width, style)),
        ],
  );
}

/**
 * All of what would be sent, with its counts, and where it goes.
 * @param account lines of the profile and the workspace, as soon as they are known
 */
export function renderSummary(
  state: State,
  account: readonly string[],
  width: number,
  style: Style,
): readonly string[] {
  const undecided = state.items.length - listDecisions(state).length;
  const { heading, faint } = style.palette;
  const rest = undecided === 0 ? 'Nothing else is waiting.' : `${undecided} left undecided.`;
  return [
    ...breakWords(formatCounts(state), width).map(heading),
    ...account.map((line) => faint(fitText(line, width, style))),
    '',
    ...renderSections(state, width, style),
    faint(fitText(rest, width, style)),
  ];
}

/** What was chosen before: what is left of it, and what is not. */
export function renderDraft(
  state: State,
  { saved, gone }: OfferedDraft,
  width: number,
  style: Style,
): readonly string[] {
  const title = listDecisions(state).length === 0 ? 'no decisions are left.' : formatCounts(state);
  const dropped = gone.length === 0 ? [] : [`Dropped ${gone.length}`];
  const { heading } = style.palette;
  return [
    ...breakWords(`Draft saved ${saved}: ${title}`, width).map(heading),
    '',
    ...dropped.flatMap((line) => breakWords(line, width)).map(heading),
    ...gone.flatMap((line) =>
      breakWords(line, width - 4).map((text, i) => INDENT + (i === 0 ? '' : INDENT) + text),
    ),
    ...dropped.map(() => ''),
    ...renderSections(state, width, style),
  ];
}

const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ['a', 'approve'],
  ['r', 'reject, with a reason'],
  ['s', 'skip: leave it undecided'],
  ['u', 'undo the last decision'],
  ['space Tab', 'select; a, r and s then apply to all selected'],
  ['A', 'select all shown, or none'],
  ['↑ ↓  k j', 'move'],
  ['PgUp PgDn', 'move one page'],
  ['g G', 'go to the first or last'],
  ['n', 'go to the next with a warning'],
  ['Enter →', 'show the details'],
  ['Esc ←', 'back; clear the selection and the filter'],
  ['/', 'filter by name, type or text'],
  ['S', 'review your decisions; Enter then sends them, p saves them as a plan'],
  ['q', 'quit without sending; your decisions are kept as a draft'],
];

export function renderKeyHelp(width: number, style: Style): readonly string[] {
  const toAscii = (keys: string) => keys.replace('↑ ↓', 'Up Down').replace('→', 'Right').replace('←', 'Left');
  return KEY_HELP.flatMap(([keys, what]) => {
    const head = (style.unicode ? keys : toAscii(keys)).padEnd(13);
    return breakWords(what, width - 15).map((line, i) => `  ${i === 0 ? head : ' '.repeat(13)}${line}`);
  });
}

/** `! also requests leave Nov 9–15`, on as many lines as it takes. */
function renderMarked(mark: string, text: string, width: number, paint: Paint): readonly string[] {
  return breakWords(text, width - 2).map((line, i) => paint(`${i === 0 ? mark : ' '} ${line}`));
}

/** The decision on an item, as long as it is only chosen. */
function renderDecision(state: State, key: string, width: number, style: Style): readonly string[] {
  const decision = state.decisions.get(key);
  if (decision === undefined) return [];
  const { verdict } = decision;
  const words = { approve: 'approve', skip: 'left undecided', reject: 'reject: ' }[verdict];
  const text = words + (decision.verdict === 'reject' ? decision.reason : '');
  return renderMarked(getGlyph(style, verdict), text, width, getVerdictPaint(style, verdict));
}

const LABEL_WIDTH = 15;
const INDENT = '  ';

/** A label, and its text beside it, or below where that has no room for its longest word. */
function renderFact(label: string, text: string, width: number, style: Style): readonly string[] {
  const { faint, waiting } = style.palette;
  const mark = label === 'warning' ? '! ' : '';
  const paint = mark === '' ? (line: string) => line : waiting;
  const widest = findWidest(text.split(/\s/));
  const isBelow = widest > width - LABEL_WIDTH - mark.length && widest <= width - INDENT.length;
  const indent = isBelow ? INDENT : ' '.repeat(LABEL_WIDTH);
  const room = width - indent.length - mark.length;
  const lines = text.split('\n').flatMap((line) => breakWords(line, room));
  const rendered = lines.map((line, i) => {
    const head = isBelow || i > 0 ? indent : faint(label.padEnd(LABEL_WIDTH));
    return head + paint((i === 0 ? mark : ' '.repeat(mark.length)) + line);
  });
  return isBelow ? [faint(label), ...rendered] : rendered;
}

const EIGHTHS = ' ▏▎▍▌▋▊▉';
const MAX_BAR = 24;

/** The numbers stand beside the bars, and need them not. */
function renderBars(bars: readonly EvidenceBar[], width: number, style: Style): readonly string[] {
  const widest = (name: 'label' | 'text' | 'note') => findWidest(bars.map((bar) => bar[name]));
  const [labels, texts] = [widest('label'), widest('text')];
  const room = width - INDENT.length - labels - texts - widest('note') - 4;
  const most = bars.reduce((highest, { amount }) => Math.max(highest, amount), 1);
  return bars.map(({ label, amount, text, note }) => {
    const bar = room < 3 ? '' : `${drawBar(amount / most, Math.min(MAX_BAR, room), style)}  `;
    const number = padText(text, texts, true);
    const line = `${INDENT}${padText(label, labels)} ${bar}${number} ${note}`;
    return fitText(line.trimEnd(), width, style);
  });
}

function drawBar(share: number, width: number, { unicode }: Style): string {
  const eighths = Math.round(share * width * 8);
  if (!unicode) return '#'.repeat(Math.round(eighths / 8)).padEnd(width);
  const rest = eighths % 8;
  return ('█'.repeat(Math.floor(eighths / 8)) + (rest === 0 ? '' : EIGHTHS.charAt(rest))).padEnd(width);
}

type DecidedItem = readonly [item: ReviewItem, decision: Decision];

/** What has warnings first; the rejections with their reasons next, for they cannot be taken back in silence. */
function groupDecided({ items, decisions }: State) {
  const decided = items.flatMap((item): readonly DecidedItem[] => {
    const decision = decisions.get(item.key);
    return decision === undefined ? [] : [[item, decision]];
  });
  const approved = decided.filter(([, { verdict }]) => verdict === 'approve');
  return {
    flagged: approved.filter(([{ warnings }]) => warnings.length > 0),
    rejected: decided.filter(([, { verdict }]) => verdict === 'reject'),
    clean: approved.filter(([{ warnings }]) => warnings.length === 0),
  };
}

function renderSections(state: State, width: number, style: Style): readonly string[] {
  const { flagged, rejected, clean } = groupDecided(state);
  const renderSection = (title: string, list: readonly DecidedItem[]) =>
    list.length === 0
      ? []
      : [
          ...breakWords(title, width).map(style.palette.heading),
          ...list.flatMap((each) => renderChoice(each, width, style)),
          '',
        ];
  return [
    ...renderSection(`Approve ${flagged.length} with warnings`, flagged),
    ...renderSection(`Reject ${rejected.length}`, rejected),
    ...renderSection(`Approve ${clean.length}`, clean),
  ];
}

const BELOW = '      ';

function renderChoice([item, decision]: DecidedItem, columns: number, style: Style): readonly string[] {
  const width = columns - BELOW.length;
  const { who, kind, when, amount, warnings } = item;
  const [line = '', ...more] = breakWords(`${who}  ${kind}  ${when}  ${amount}`, width);
  const mark = getVerdictPaint(style, decision.verdict)(getGlyph(style, decision.verdict));
  const below = (text: string) => breakWords(text, width).map((part) => BELOW + part);
  return [
    `  ${mark} ${line}`,
    ...more.map((extra) => BELOW + extra.trimStart()),
    ...warnings.flatMap((text) => below(`! ${text}`)).map(style.palette.waiting),
    ...(decision.verdict === 'reject' ? below(`"${decision.reason}"`) : []),
  ];
}

/** `Approve 40 (2 with warnings) and reject 2` */
function formatCounts(state: State): string {
  const { flagged, rejected, clean } = groupDecided(state);
  const approved = flagged.length + clean.length;
  const suffix = flagged.length === 0 ? '' : ` (${flagged.length} with warnings)`;
  const parts = [
    ...(approved === 0 ? [] : [`approve ${approved}${suffix}`]),
    ...(rejected.length === 0 ? [] : [`reject ${rejected.length}`]),
  ].join(' and ');
  return parts.charAt(0).toUpperCase() + parts.slice(1);
}
