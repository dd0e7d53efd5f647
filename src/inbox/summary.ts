import type { ReviewItem } from '../review.ts';
import { countLines, createLines, joinLines, type Lines } from './lines.ts';
import { type Decision, listDecisions, type OfferedDraft, type State } from './state.ts';
import { breakWords, fitText, getGlyph, getVerdictPaint, type Style } from './style.ts';

/** What would be sent, in whole lines: before it is sent, and where it is offered again. */

type DecidedItem = readonly [item: ReviewItem, decision: Decision];

const INDENT = '      ';

/** What is said of it below its own line. */
const listTextsBelow = ([{ warnings }, decision]: DecidedItem): readonly string[] => [
  ...warnings.map((text) => `! ${text}`),
  ...(decision.verdict === 'reject' ? [`"${decision.reason}"`] : []),
];

const formatItem = ({ who, kind, when, amount }: ReviewItem): string => `${who}  ${kind}  ${when}  ${amount}`;

const renderChoice = (decided: DecidedItem, width: number, style: Style): readonly string[] => {
  const [item, { verdict }] = decided;
  const [line = '', ...more] = breakWords(formatItem(item), width, style);
  const mark = getVerdictPaint(style, verdict)(getGlyph(style, verdict));
  const { length } = item.warnings;
  return [
    `  ${mark} ${line}`,
    ...more.map((extra) => `${INDENT}${extra.trimStart()}`),
    ...listTextsBelow(decided).flatMap((text, i) =>
      breakWords(text, width, style).map((part) =>
        i < length ? style.palette.waiting(INDENT + part) : INDENT + part,
      ),
    ),
  ];
};

const choiceLines = (decided: DecidedItem, columns: number, style: Style): Lines => {
  const width = columns - INDENT.length;
  const texts = [formatItem(decided[0]), ...listTextsBelow(decided)];
  const length = texts.reduce((sum, text) => sum + countLines(text, width, style), 0);
  return createLines(length, () => renderChoice(decided, width, style));
};

const listDecided = ({ items, decisions }: State, verdict: Decision['verdict']): readonly DecidedItem[] =>
  items.flatMap((item) => {
    const decision = decisions.get(item.key);
    return decision?.verdict === verdict ? [[item, decision] as const] : [];
  });

/** What has warnings first; the rejections with their reasons next, for they cannot be taken back in silence. */
const sectionLines = (state: State, width: number, style: Style): readonly Lines[] => {
  const approved = listDecided(state, 'approve');
  const rejected = listDecided(state, 'reject');
  const isFlagged = ([{ warnings }]: DecidedItem) => warnings.length > 0;
  const section = (title: (count: number) => string, list: readonly DecidedItem[]) =>
    list.length === 0
      ? []
      : [
          breakWords(title(list.length), width, style).map(style.palette.heading),
          ...list.map((each) => choiceLines(each, width, style)),
          [''],
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
): Lines => {
  const undecided = state.items.length - listDecisions(state).length;
  const { heading, faint } = style.palette;
  const rest = undecided === 0 ? 'Nothing else is waiting.' : `${undecided} left undecided.`;
  return joinLines([
    breakWords(formatCounts(state), width, style).map(heading),
    account.map((line) => faint(fitText(line, width, style))),
    [''],
    ...sectionLines(state, width, style),
    [faint(fitText(rest, width, style))],
  ]);
};

/** What was chosen before: what is left of it, and what is not. */
export const renderDraft = (
  state: State,
  { saved, gone }: OfferedDraft,
  width: number,
  style: Style,
): Lines => {
  const { heading } = style.palette;
  const count = listDecisions(state).length;
  const title = count === 0 ? 'no decisions are left.' : formatCounts(state);
  return joinLines([
    breakWords(`Draft saved ${saved}: ${title}`, width, style).map(heading),
    [''],
    gone.length === 0
      ? []
      : [
          ...breakWords(`Dropped ${gone.length}`, width, style).map(heading),
          ...gone.flatMap((line) =>
            breakWords(line, width - 4, style).map((text, i) => `${i === 0 ? '  ' : '    '}${text}`),
          ),
          '',
        ],
    ...sectionLines(state, width, style),
  ]);
};
