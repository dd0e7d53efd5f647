/** How many columns a text takes on a terminal (design/reliability.md, F4). */

export type Measure = (text: string) => number;

const PLAIN = /^[\x20-\x7e]*$/;

/** The measure for these texts; string-width is loaded only when one of them is more than plain ASCII. */
export const measureFor = async (texts: readonly string[]): Promise<Measure> => {
  if (texts.every((text) => PLAIN.test(text))) return (text) => text.length;
  const { default: stringWidth } = await import('string-width');
  // Each text is measured for its column, for the cut and for the padding.
  const known = new Map<string, number>();
  return (text) => {
    if (PLAIN.test(text)) return text.length;
    const width = known.get(text) ?? stringWidth(text);
    known.set(text, width);
    return width;
  };
};

/** Fills up with spaces; a text that is too wide stays as it is. */
export const pad = (text: string, width: number, right: boolean, measure: Measure): string => {
  const space = ' '.repeat(Math.max(0, width - measure(text)));
  return right ? space + text : text + space;
};

/** At most `width` columns, cut between graphemes; what is cut ends with the ellipsis. */
export const cut = (text: string, width: number, measure: Measure, ellipsis: string): string => {
  if (measure(text) <= width) return text;
  const mark = ellipsis.slice(0, width);
  let room = width - mark.length;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= measure(segment);
    if (room < 0) break;
    kept += segment;
  }
  return kept.trimEnd() + mark;
};
