import type { ReviewItem } from '../review.ts';
import { type Decision, getCurrent, type State } from './state.ts';
import { breakWords, getGlyph, getVerdictPaint, type Style } from './style.ts';

/** What is told in whole lines: one item, the keys. */

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
  facts.find(([name]) => labels.includes(name))?.[1];

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
export const factLines = (label: string, text: string, width: number, style: Style): readonly string[] => {
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

/** All that is known of the current item. @param evidence what is known around it, as lines */
export const renderDetails = (
  state: State,
  evidence: readonly string[],
  width: number,
  style: Style,
): readonly string[] => {
  const item = getCurrent(state);
  if (item === undefined) return [];
  const facts = item.facts.flatMap(([label, text]) => factLines(label, text, width, style));
  const decision = decisionLines(state, item.key, width, style);
  return [...facts, ...(decision.length === 0 ? [] : ['', ...decision]), '', ...evidence];
};

const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ['a', 'approve'],
  ['r', 'reject, with a reason'],
  ['s', 'skip: leave it undecided'],
  ['u', 'undo the last decision'],
  ['R', 'reject by name: type it, Enter, then the reason'],
  ['space Tab', 'select; a, r and s then apply to all selected'],
  ['A', 'select all shown, or none'],
  ['↑ ↓  k j', 'move'],
  ['PgUp PgDn', 'move one page'],
  ['g G', 'go to the first or last'],
  ['n', 'go to the next with a warning'],
  ['Enter →', 'show the details'],
  ['Esc ←', 'back; clear the selection and the filters'],
  ['/', 'filter by name, type or text'],
  ['f', 'show the next type'],
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
