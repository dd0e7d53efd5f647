import { padText } from '../output/layout.ts';
import type { Evidence, EvidenceBar, EvidencePart, ReviewItem } from '../review.ts';
import { type Decision, getCurrent, listDecisions, type OfferedDraft, type State } from './state.ts';
import { breakWords, fitText, getGlyph, getVerdictPaint, type Style } from './style.ts';

/** What is told in whole lines: one item and what is known around it, what would be sent, the keys. */

const decisionText = (decision: Decision): string => {
  if (decision.verdict === 'reject') return `reject: ${decision.reason}`;
  return decision.verdict === 'skip' ? 'left undecided' : 'approve';
};

/** The decision on an item, as long as it is only chosen. */
const decisionLines = (state: State, key: string, width: number, style: Style): readonly string[] => {
  const decision = state.decisions.get(key);
  if (decision === undefined) return [];
  const [first = '', ...more] = breakWords(decisionText(decision), width - 2, style);
  const paint = getVerdictPaint(style, decision.verdict);
  return [paint(`${getGlyph(style, decision.verdict)} ${first}`), ...more.map((line) => paint(`  ${line}`))];
};

const warningLines = ({ warnings }: ReviewItem, width: number, style: Style): readonly string[] =>
  warnings.flatMap((text) =>
    breakWords(text, width - 2, style).map((line, i) =>
      style.palette.waiting(`${i === 0 ? '!' : ' '} ${line}`),
    ),
  );

const findFact = ({ facts }: ReviewItem, ...labels: readonly string[]): string | undefined =>
  facts().find(([name]) => labels.includes(name))?.[1];

/** The current item in a few lines, below the list. */
export const renderPreview = (state: State, width: number, style: Style): readonly string[] => {
  const item = getCurrent(state);
  if (item === undefined) return [];
  const parts = [
    item.who,
    item.about ?? item.kind,
    findFact(item, 'when'),
    findFact(item, 'days', 'hours', 'pay'),
  ];
  const [first = '', ...more] = breakWords(parts.filter(Boolean).join(', '), width, style);
  return [
    style.palette.heading(first),
    ...more,
    ...decisionLines(state, item.key, width, style),
    ...warningLines(item, width, style),
    ...(item.note === undefined ? [] : breakWords(`"${item.note}"`, width, style)),
  ];
};

const LABEL_WIDTH = 15;
/** What has no room beside its label stands below it. */
const INDENT = 2;

/** A label, and its text beside it or below. */
const factLines = (label: string, text: string, width: number, style: Style): readonly string[] => {
  const mark = label === 'warning' ? '! ' : '';
  const paint = mark === '' ? (line: string) => line : style.palette.waiting;
  const room = width - LABEL_WIDTH - mark.length;
  const widest = text.split(/\s/).reduce((most, word) => Math.max(most, style.measure(word)), 0);
  const indent = widest > room && widest <= width - INDENT ? INDENT : LABEL_WIDTH;
  const lines = text.split('\n').flatMap((line) => breakWords(line, width - indent - mark.length, style));
  const beside = indent === LABEL_WIDTH;
  const rendered = lines.map((line, i) => {
    const head = beside && i === 0 ? style.palette.faint(label.padEnd(LABEL_WIDTH)) : ' '.repeat(indent);
    return head + paint((i === 0 ? mark : ' '.repeat(mark.length)) + line);
  });
  return beside ? rendered : [style.palette.faint(label), ...rendered];
};

const EIGHTHS = ' ▏▎▍▌▋▊▉';
const MAX_BAR = 24;

const drawBar = (share: number, width: number, { unicode }: Style): string => {
  const eighths = Math.round(share * width * 8);
  const [full, rest] = [Math.floor(eighths / 8), eighths % 8];
  if (!unicode) return '#'.repeat(Math.round(eighths / 8)).padEnd(width);
  return ('█'.repeat(full) + (rest === 0 ? '' : EIGHTHS.charAt(rest))).padEnd(width);
};

/** The numbers stand beside the bars, and need them not. */
const chartLines = (bars: readonly EvidenceBar[], width: number, style: Style): readonly string[] => {
  const { measure } = style;
  const widest = (text: (bar: EvidenceBar) => string) =>
    bars.reduce((most, bar) => Math.max(most, measure(text(bar))), 0);
  const [labels, texts, notes] = [widest((b) => b.label), widest((b) => b.text), widest((b) => b.note)];
  const room = width - INDENT - labels - texts - notes - 4;
  const barWidth = room < 3 ? 0 : Math.min(MAX_BAR, room);
  const most = bars.reduce((highest, { amount }) => Math.max(highest, amount), 1);
  return bars.map(({ label, amount, text, note }) => {
    const bar = barWidth === 0 ? '' : `${drawBar(amount / most, barWidth, style)}  `;
    const cells = [
      padText(label, labels, false, measure),
      `${bar}${padText(text, texts, true, measure)}`,
      note,
    ];
    return fitText(`${' '.repeat(INDENT)}${cells.join(' ')}`.trimEnd(), width, style);
  });
};

const partLines = ({ label, lines, bars }: EvidencePart, width: number, style: Style): readonly string[] => {
  if (bars === undefined) return factLines(label, lines.join('\n'), width, style);
  return [
    style.palette.faint(fitText(label, width, style)),
    ...chartLines(bars, width, style),
    ...lines.map((line) => fitText(`${' '.repeat(INDENT)}${line}`, width, style)),
  ];
};

/** @param parts undefined as long as they are read */
export const renderEvidence = (
  parts: Evidence | undefined,
  width: number,
  style: Style,
): readonly string[] => {
  if (parts === undefined) return [style.palette.faint(fitText('loading...', width, style))];
  return parts.flatMap((part) => partLines(part, width, style));
};

/** All that is known of the current item, and around it. */
export const renderDetails = (
  state: State,
  evidence: Evidence | undefined,
  width: number,
  style: Style,
): readonly string[] => {
  const item = getCurrent(state);
  if (item === undefined) return [];
  const facts = item.facts().flatMap(([label, text]) => factLines(label, text, width, style));
  const decision = decisionLines(state, item.key, width, style);
  const chosen = decision.length === 0 ? [] : ['', ...decision];
  return [...facts, ...chosen, '', ...renderEvidence(evidence, width, style)];
};

type DecidedItem = readonly [item: ReviewItem, decision: Decision];

const BELOW = '      ';

/** What is said of it below its own line. */
const listTextsBelow = ([{ warnings }, decision]: DecidedItem): readonly string[] => [
  ...warnings.map((text) => `! ${text}`),
  ...(decision.verdict === 'reject' ? [`"${decision.reason}"`] : []),
];

const formatItem = ({ who, kind, when, amount }: ReviewItem): string => `${who}  ${kind}  ${when}  ${amount}`;

const choiceLines = (decided: DecidedItem, columns: number, style: Style): readonly string[] => {
  const [item, { verdict }] = decided;
  const width = columns - BELOW.length;
  const [line = '', ...more] = breakWords(formatItem(item), width, style);
  const mark = getVerdictPaint(style, verdict)(getGlyph(style, verdict));
  return [
    `  ${mark} ${line}`,
    ...more.map((extra) => `${BELOW}${extra.trimStart()}`),
    ...listTextsBelow(decided).flatMap((text, i) =>
      breakWords(text, width, style).map((part) =>
        i < item.warnings.length ? style.palette.waiting(BELOW + part) : BELOW + part,
      ),
    ),
  ];
};

const listDecided = ({ items, decisions }: State, verdict: Decision['verdict']): readonly DecidedItem[] =>
  items.flatMap((item) => {
    const decision = decisions.get(item.key);
    return decision?.verdict === verdict ? [[item, decision] as const] : [];
  });

/** What has warnings first; the rejections with their reasons next, for they cannot be taken back in silence. */
const sectionLines = (state: State, width: number, style: Style): readonly string[] => {
  const approved = listDecided(state, 'approve');
  const rejected = listDecided(state, 'reject');
  const isFlagged = ([{ warnings }]: DecidedItem) => warnings.length > 0;
  const section = (title: (count: number) => string, list: readonly DecidedItem[]) =>
    list.length === 0
      ? []
      : [
          ...breakWords(title(list.length), width, style).map(style.palette.heading),
          ...list.flatMap((each) => choiceLines(each, width, style)),
          '',
        ];
  return [
    ...section((count) => `Approve ${count} with warnings`, approved.filter(isFlagged)),
    ...section((count) => `Reject ${count}`, rejected),
    ...section(
      (count) => `Approve ${count}`,
      approved.filter((each) => !isFlagged(each)),
    ),
  ];
};

/** `Approve 40 (2 with warnings) and reject 2` */
const formatCounts = (state: State): string => {
  const approved = listDecided(state, 'approve');
  const flagged = approved.filter(([{ warnings }]) => warnings.length > 0).length;
  const rejected = listDecided(state, 'reject').length;
  const suffix = flagged === 0 ? '' : ` (${flagged} with warnings)`;
  const parts = [
    ...(approved.length === 0 ? [] : [`approve ${approved.length}${suffix}`]),
    ...(rejected === 0 ? [] : [`reject ${rejected}`]),
  ].join(' and ');
  return parts.charAt(0).toUpperCase() + parts.slice(1);
};

/**
 * All of it, with its counts, and where it goes.
 * @param account lines of the profile and the workspace, as soon as they are known
 */
export const renderSummary = (
  state: State,
  account: readonly string[],
  width: number,
  style: Style,
): readonly string[] => {
  const undecided = state.items.length - listDecisions(state).length;
  const { heading, faint } = style.palette;
  const rest = undecided === 0 ? 'Nothing else is waiting.' : `${undecided} left undecided.`;
  return [
    ...breakWords(formatCounts(state), width, style).map(heading),
    ...account.map((line) => faint(fitText(line, width, style))),
    '',
    ...sectionLines(state, width, style),
    faint(fitText(rest, width, style)),
  ];
};

/** What was chosen before: what is left of it, and what is not. */
export const renderDraft = (
  state: State,
  { saved, gone }: OfferedDraft,
  width: number,
  style: Style,
): readonly string[] => {
  const { heading } = style.palette;
  const count = listDecisions(state).length;
  const title = count === 0 ? 'no decisions are left.' : formatCounts(state);
  const dropped = gone.flatMap((line) =>
    breakWords(line, width - 4, style).map((text, i) => `${i === 0 ? '  ' : '    '}${text}`),
  );
  return [
    ...breakWords(`Draft saved ${saved}: ${title}`, width, style).map(heading),
    '',
    ...(gone.length === 0
      ? []
      : [...breakWords(`Dropped ${gone.length}`, width, style).map(heading), ...dropped, '']),
    ...sectionLines(state, width, style),
  ];
};

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

const toAscii = (keys: string): string =>
  keys.replace('↑ ↓', 'Up Down').replace('→', 'Right').replace('←', 'Left');

export const renderKeyHelp = (width: number, style: Style): readonly string[] =>
  KEY_HELP.flatMap(([keys, what]) => {
    const head = (style.unicode ? keys : toAscii(keys)).padEnd(13);
    return breakWords(what, width - 15, style).map(
      (line, i) => `  ${i === 0 ? head : ' '.repeat(13)}${line}`,
    );
  });
