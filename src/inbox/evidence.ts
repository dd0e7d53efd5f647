import { padText } from '../output/layout.ts';
import type { Evidence, EvidenceBar, EvidencePart } from '../review.ts';
import { factLines } from './pages.ts';
import { listVisible, type State } from './state.ts';
import { fitText, type Size, type Style } from './style.ts';

/** What is known around an item: where it is shown, and how it looks. */

/** From so many columns on it stands beside the list. */
const MIN_COLUMNS = 100;
/** Items below the cursor for which it is read beforehand. */
const AHEAD = 3;

export const hasPanel = ({ columns }: Size): boolean => columns >= MIN_COLUMNS;

/** Keys of the items whose evidence is on the screen, or soon will be. */
export const listWanted = (state: State, size: Size): readonly string[] => {
  const { mode, back, currentKey } = state;
  const shown = mode === 'reason' ? back : mode;
  if (currentKey === undefined || !['list', 'filter', 'find', 'detail'].includes(shown)) return [];
  if (!hasPanel(size)) return shown === 'detail' ? [currentKey] : [];
  const visible = listVisible(state);
  const at = visible.findIndex(({ key }) => key === currentKey);
  return at < 0 ? [] : visible.slice(at, at + AHEAD + 1).map(({ key }) => key);
};

const EIGHTHS = ' ▏▎▍▌▋▊▉';
const MAX_BAR = 24;
const INDENT = 2;

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
