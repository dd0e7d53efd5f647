import { type Measure, truncateText } from '../output/layout.ts';
import type { Paint, Palette } from '../output/palette.ts';
import type { Decision } from './state.ts';

/** How a review looks: colours, glyphs and their ASCII forms, the width of texts. */

export interface Style {
  readonly palette: Palette;
  readonly unicode: boolean;
  readonly measure: Measure;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const GLYPHS = {
  cursor: ['›', '>'],
  selected: ['●', '*'],
  approve: ['✓', '+'],
  reject: ['✗', 'x'],
  skip: ['–', '-'],
  divider: ['│', '|'],
  range: ['–', '-'],
} as const;

export const getGlyph = ({ unicode }: Style, name: keyof typeof GLYPHS): string =>
  GLYPHS[name][unicode ? 0 : 1];

/** The glyphs tell decisions apart; colour only helps. */
export const getVerdictPaint = ({ palette }: Style, verdict: Decision['verdict']): Paint =>
  ({ approve: palette.good, reject: palette.bad, skip: palette.faint })[verdict];

/** At most so many columns. */
export const fitText = (text: string, width: number, { measure, unicode }: Style): string =>
  truncateText(text, Math.max(0, width), measure, unicode ? '…' : '...');

/** The end of a text that is typed, where the cursor is. */
export const takeTail = (text: string, width: number, { measure, unicode }: Style): string => {
  if (measure(text) <= width) return text;
  const mark = (unicode ? '…' : '...').slice(0, Math.max(0, width));
  let room = width - measure(mark);
  let tail = '';
  for (const { segment } of [...new Intl.Segmenter().segment(text)].reverse()) {
    room -= measure(segment);
    if (room < 0) break;
    tail = segment + tail;
  }
  return mark + tail;
};

const splitWord = (word: string, width: number, measure: Measure): string[] => {
  const parts: string[] = [''];
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const last = parts.length - 1;
    if (parts[last] !== '' && measure(`${parts[last]}${segment}`) > width) parts.push(segment);
    else parts[last] += segment;
  }
  return parts;
};

/** None of them is wider than one column: measuring all texts of thousands of items would take a while. */
const NARROW = /^[\x20-\x7e\u00a1-\u024f\u2013]*$/;

/** Words on lines of at most so many columns; a longer word is broken. */
export const breakWords = (text: string, width: number, { measure }: Style): string[] => {
  if (text.length <= width && NARROW.test(text)) return [text];
  const room = Math.max(1, width);
  const lines: string[] = [''];
  for (const word of text
    .split(' ')
    .flatMap((one) => (measure(one) > room ? splitWord(one, room, measure) : one))) {
    const last = lines.length - 1;
    const line = lines[last] === '' ? word : `${lines[last]} ${word}`;
    if (measure(line) <= room) lines[last] = line;
    else lines.push(word);
  }
  return lines;
};

/** The same on so many lines at most; the last one is cut. */
export const clipLines = (text: string, width: number, maxLines: number, style: Style): string[] => {
  const lines = breakWords(text, width, style);
  return [...lines.slice(0, maxLines - 1), fitText(lines.slice(maxLines - 1).join(' '), width, style)].slice(
    0,
    lines.length,
  );
};
