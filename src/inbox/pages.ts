import type { ReviewItem } from '../review.ts';
import { type Decision, getCurrent, listDecisions, type State } from './state.ts';
import { breakWords, fitText, getGlyph, getVerdictPaint, type Style } from './style.ts';

/** What is told in whole lines: one item, what would be sent, the keys. */

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

const findFact = ({ facts }: ReviewItem, label: string): string | undefined =>
  facts.find(([name]) => name === label)?.[1];

/** The current item in a few lines, below the list. */
export const renderPreview = (state: State, width: number, style: Style): readonly string[] => {
  const item = getCurrent(state);
  if (item === undefined) return [];
  const parts = [item.who, item.about ?? item.kind, findFact(item, 'when'), findFact(item, 'hours or days')];
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

const factLines = (label: string, text: string, width: number, style: Style): readonly string[] => {
  const mark = label === 'warning' ? '! ' : '';
  const paint = mark === '' ? (line: string) => line : style.palette.waiting;
  const room = width - LABEL_WIDTH - mark.length;
  const widest = Math.max(...text.split(/\s/).map(style.measure));
  const indent = widest > room && widest <= width - INDENT ? INDENT : LABEL_WIDTH;
  const lines = text.split('\n').flatMap((line) => breakWords(line, width - indent - mark.length, style));
  const beside = indent === LABEL_WIDTH;
  const rendered = lines.map((line, i) => {
    const head = beside && i === 0 ? style.palette.faint(label.padEnd(LABEL_WIDTH)) : ' '.repeat(indent);
    return head + paint((i === 0 ? mark : ' '.repeat(mark.length)) + line);
  });
  return beside ? rendered : [style.palette.faint(label), ...rendered];
};

/** All that is known of the current item. */
export const renderDetails = (state: State, width: number, style: Style): readonly string[] => {
  const item = getCurrent(state);
  if (item === undefined) return [];
  const facts = item.facts.flatMap(([label, text]) => factLines(label, text, width, style));
  const decision = decisionLines(state, item.key, width, style);
  return [...facts, ...(decision.length === 0 ? [] : ['', ...decision])];
};

const choiceLines = (state: State, verdict: Decision['verdict'], width: number, style: Style) =>
  state.items.flatMap((item) => {
    const decision = state.decisions.get(item.key);
    if (decision?.verdict !== verdict) return [];
    const { who, kind, when, amount } = item;
    const warning = item.warnings.length === 0 ? '' : '  !';
    const text = `${who}  ${kind}  ${when}  ${amount}${warning}`;
    const [line = '', ...more] = breakWords(text, width - 6, style);
    const mark = getVerdictPaint(style, verdict)(getGlyph(style, verdict));
    const reason = decision.verdict === 'reject' ? breakWords(`"${decision.reason}"`, width - 6, style) : [];
    return [
      `  ${mark} ${line}`,
      ...more.map((extra) => `      ${extra.trimStart()}`),
      ...reason.map((text) => `      ${text}`),
    ];
  });

/** What would be sent: the rejections with their reasons first, for they cannot be taken back in silence. */
export const renderSummary = (state: State, width: number, style: Style): readonly string[] => {
  const count = (verdict: string) =>
    listDecisions(state).filter((choice) => choice.verdict === verdict).length;
  const [approved, rejected] = [count('approve'), count('reject')];
  const undecided = state.items.length - approved - rejected;
  const { heading, faint } = style.palette;
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [heading(title), ...lines, ''];
  return [
    ...part(`Reject ${rejected}`, choiceLines(state, 'reject', width, style)),
    ...part(`Approve ${approved}`, choiceLines(state, 'approve', width, style)),
    faint(
      fitText(undecided === 0 ? 'Nothing else is waiting.' : `${undecided} left undecided.`, width, style),
    ),
  ];
};

const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ['a', 'approve'],
  ['r', 'reject, with a reason'],
  ['s', 'skip: leave it undecided'],
  ['u', 'undo the last decision'],
  ['space', 'select; a, r and s then apply to all selected'],
  ['A', 'select all shown, or none'],
  ['↑ ↓  k j', 'move'],
  ['PgUp PgDn', 'move one page'],
  ['Home End', 'go to the first or last'],
  ['Enter →', 'show the details'],
  ['Esc ←', 'back; clear the selection and the filters'],
  ['/', 'filter by name, type or text'],
  ['f', 'show the next type'],
  ['S', 'review your decisions, then send them or save them as a plan'],
  ['q', 'quit without sending'],
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
