import {
  getEllipsis,
  type Paint,
  type Palette,
  textWidth,
  truncateText,
  wrapWords,
} from '../output/terminal.ts';
import type { Decision } from './state.ts';

/** How a review looks: colours, glyphs and their ASCII forms, the width of texts. */

export interface Style {
  readonly palette: Palette;
  readonly unicode: boolean;
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

export function getGlyph({ unicode }: Style, name: keyof typeof GLYPHS): string {
  return GLYPHS[name][unicode ? 0 : 1];
}

/** The glyphs tell decisions apart; colour only helps. */
export function getVerdictPaint({ palette }: Style, verdict: Decision['verdict']): Paint {
  return { approve: palette.good, reject: palette.bad, skip: palette.faint }[verdict];
}

/** At most so many columns. */
export function fitText(text: string, width: number, style: Style): string {
  return truncateText(text, Math.max(0, width), style);
}

/** The end of a text that is typed, where the cursor is. */
export function takeTail(text: string, width: number, style: Style): string {
  if (textWidth(text) <= width) return text;
  const mark = getEllipsis(style).slice(0, Math.max(0, width));
  let room = width - textWidth(mark);
  let tail = '';
  for (const { segment } of [...new Intl.Segmenter().segment(text)].reverse()) {
    room -= textWidth(segment);
    if (room < 0) break;
    tail = segment + tail;
  }
  return mark + tail;
}

/** None of them is wider than one column: measuring all texts of thousands of items would take a while. */
const NARROW = /^[\x20-\x7e\u00a1-\u024f\u2013]*$/;

/** Words on lines of at most so many columns; a longer word is broken. */
export function breakWords(text: string, width: number): readonly string[] {
  if (text.length <= width && NARROW.test(text)) return [text];
  const room = Math.max(1, width);
  const words = text.split(' ').flatMap((word) => (textWidth(word) > room ? splitWord(word, room) : word));
  return wrapWords(words.join(' '), room);
}

function splitWord(word: string, width: number): readonly string[] {
  const parts: string[] = [''];
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const last = parts.length - 1;
    if (parts[last] !== '' && textWidth(`${parts[last]}${segment}`) > width) parts.push(segment);
    else parts[last] += segment;
  }
  return parts;
}
