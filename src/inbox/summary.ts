import type { ReviewItem } from '../review.ts';
import { type Decision, listDecisions, type OfferedDraft, type State } from './state.ts';
import { breakWords, fitText, getGlyph, getVerdictPaint, type Style } from './style.ts';

/** What would be sent, in whole lines: before it is sent, and where it is offered again. */

type DecidedItem = readonly [item: ReviewItem, decision: Decision];

const INDENT = '      ';

const choiceLines = ([item, decision]: DecidedItem, width: number, style: Style): readonly string[] => {
  const { who, kind, when, amount, warnings } = item;
  const [line = '', ...more] = breakWords(`${who}  ${kind}  ${when}  ${amount}`, width - 6, style);
  const mark = getVerdictPaint(style, decision.verdict)(getGlyph(style, decision.verdict));
  const below = (texts: readonly string[]) => texts.flatMap((text) => breakWords(text, width - 6, style));
  const reason = decision.verdict === 'reject' ? [`"${decision.reason}"`] : [];
  return [
    `  ${mark} ${line}`,
    ...more.map((extra) => `${INDENT}${extra.trimStart()}`),
    ...below(warnings.map((text) => `! ${text}`)).map((text) => style.palette.waiting(`${INDENT}${text}`)),
    ...below(reason).map((text) => `${INDENT}${text}`),
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
  return [
    ...breakWords(formatCounts(state), width, style).map(heading),
    ...account.map((line) => faint(fitText(line, width, style))),
    '',
    ...sectionLines(state, width, style),
    faint(
      fitText(undecided === 0 ? 'Nothing else is waiting.' : `${undecided} left undecided.`, width, style),
    ),
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
  const title = count === 0 ? 'Nothing is left of it.' : formatCounts(state);
  return [
    ...breakWords(`Draft saved ${saved}: ${title}`, width, style).map(heading),
    '',
    ...(gone.length === 0
      ? []
      : [
          ...breakWords(`Dropped ${gone.length}`, width, style).map(heading),
          ...gone.flatMap((line) =>
            breakWords(line, width - 4, style).map((text, i) => `${i === 0 ? '  ' : '    '}${text}`),
          ),
          '',
        ]),
    ...sectionLines(state, width, style),
  ];
};
