/** What a terminal shows: how much room it has, how wide texts are on it, where they break, and colours. */

/** A terminal may claim any size, and lines are filled up to it. */
const MAX_SIZE = 1_000;

/** One that does not know its size says 0 (`docker run -t`, `script`, expect). */
export function getColumns({ columns }: { readonly columns?: number }): number {
  return Math.min(MAX_SIZE, columns || 80);
}

export function getRows({ rows }: { readonly rows?: number }): number {
  return Math.min(MAX_SIZE, rows || 24);
}

export const GAP = 2;

/** As wide as it is long, whoever measures it: Latin, Greek and Cyrillic letters, dashes, quotes, arrows, ticks. */
export const PLAIN =
  /^[\x20-\x7e\xa1-\xac\xae-\u02af\u0386-\u0482\u048a-\u052f\u2010-\u2015\u2018-\u2026\u2190-\u2199\u2713-\u2717]*$/;

let stringWidth: ((text: string) => number) | undefined;

/** To be called before these texts, or parts of them, are measured: loads string-width where one is not `PLAIN`. */
export async function prepareWidths(texts: readonly string[]): Promise<void> {
  if (stringWidth === undefined && !texts.every((text) => PLAIN.test(text)))
    stringWidth = (await import('string-width')).default;
}

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** Columns of a text, which may be coloured; characters that take two are known where widths are prepared for it. */
export function textWidth(coloured: string): number {
  if (PLAIN.test(coloured)) return coloured.length;
  const text = coloured.replace(COLOUR, '');
  if (stringWidth === undefined) return [...text].length;
  let width = 0;
  // In parts: to find the graphemes of a long text takes minutes.
  for (const [part] of text.matchAll(/.{1,200}/gsu)) width += stringWidth(part);
  return width;
}

export function findWidest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
}

export function padText(text: string, width: number, right = false): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return right ? space + text : text + space;
}

export function getEllipsis({ unicode }: { readonly unicode: boolean }): string {
  return unicode ? '…' : '...';
}

/** At most `width` columns, cut between graphemes; what is cut ends with an ellipsis. */
export function truncateText(text: string, width: number, style: { readonly unicode: boolean }): string {
  if (textWidth(text) <= width) return text;
  const mark = getEllipsis(style).slice(0, width);
  let room = width - mark.length;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= textWidth(segment);
    if (room < 0) break;
    cut += segment;
  }
  return cut.trimEnd() + mark;
}

/** A text that stays on one line; where it is wider than that, the terminal breaks it. */
export interface TextPiece {
  readonly text: string;
  /** Spaces before it, where it does not begin a line. Default 1. */
  readonly gap?: number;
}

/** A program and its arguments, quoted or not, up to the end of the sentence or a bracket. */
const COMMAND =
  '(?:ttctl|chmod|chown|cp|eval|export|mv|rm)(?:(?<![.,;:)]) (?!\\()(?:"(?:\\\\.|[^"\\\\])*"|\'[^\']*\'|\\\\.|[^\\s"\'\\\\])+)*';
/** A change stays together: `amount: 40 → 32`. */
const CHANGE = '(?:\\S+: )?\\S+ → \\S+';
const WORD = new RegExp(`( *)(${COMMAND}(?!\\S)|${CHANGE}|\\S+)`, 'g');

/**
 * The words of a sentence; a command line in it stays whole, so that it can be copied.
 * @param gap before the first of them
 */
export function splitWords(text: string, gap = 1): readonly TextPiece[] {
  const words = [...text.matchAll(WORD)];
  return words.map(([, blanks = '', word = ''], i) => ({ text: word, gap: i === 0 ? gap : blanks.length }));
}

/**
 * Pieces one after the other in lines of at most `width` columns.
 * @param first what stands at the beginning of the first line
 * @param layout `indent`: of all lines but the first
 */
export function wrapPieces(
  first: string,
  pieces: readonly TextPiece[],
  { width, indent }: { readonly width: number; readonly indent: number },
): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isBlank = first.trim() === '';
  // Only what is added is measured: a line that is never full would be measured again for each of its words.
  let columns = textWidth(first);
  for (const { text, gap = 1 } of pieces) {
    const added = isBlank ? text : ' '.repeat(gap) + text;
    const words = added.trimEnd();
    if (isBlank || words === '' || columns + textWidth(words) <= width) {
      line += added;
      columns += textWidth(added);
      isBlank &&= words === '';
    } else {
      lines.push(line);
      line = ' '.repeat(indent) + text;
      columns = textWidth(line);
      isBlank = line.trim() === '';
    }
  }
  return [...lines, line].map((text) => text.trimEnd());
}

export function wrapText(head: string, text: string, width: number, indent = head.length): readonly string[] {
  const words = text.split(' ').map((word, i) => ({ text: word, gap: i === 0 ? 0 : 1 }));
  return wrapPieces(head, words, { width, indent });
}

/** In lines of so many columns; a word that is longer goes on in the next. */
export function wrapWhole(text: string, width: number): readonly string[] {
  const pieces = text.split(' ').flatMap((word): readonly TextPiece[] => {
    if (textWidth(word) <= width) return [{ text: word }];
    const letters = [...new Intl.Segmenter().segment(word)];
    return letters.map(({ segment }, i) => ({ text: segment, gap: i === 0 ? 1 : 0 }));
  });
  return wrapPieces('', pieces, { width, indent: 0 });
}

/**
 * What is said on stderr, sanitised, redacted and painted: what does not fit goes on two columns further in;
 * `command    timesheets approve` below its text. A command that stands by itself, four columns in, stays a line to copy.
 */
export function wrapIndented(text: string, width: number): string {
  const wrapped = text.split('\n').map((line) => {
    if (textWidth(line) <= width || /^ {4}\S.* ttctl /.test(line)) return line;
    const [head = ''] = /^(\S+ {2,}| *)/.exec(line) ?? [];
    const indent = head.trim() === '' ? head.length + 2 : head.length;
    return wrapPieces(head, splitWords(line.slice(head.length), 0), { width, indent }).join('\n');
  });
  return wrapped.join('\n');
}

export type Paint = (text: string) => string;

/** Colours by meaning; `cursor`: the line of a list that keys act on. Whether there is colour is decided by the caller. */
export type Palette = Readonly<Record<'heading' | 'faint' | 'good' | 'waiting' | 'bad' | 'cursor', Paint>>;

const asIs: Paint = (text) => text;

export const PLAIN_PALETTE: Palette = {
  ...{ heading: asIs, faint: asIs, cursor: asIs },
  ...{ good: asIs, waiting: asIs, bad: asIs },
};

export async function loadPalette(colour: boolean): Promise<Palette> {
  if (!colour) return PLAIN_PALETTE;
  const { Chalk } = await import('chalk');
  const { bold, dim, green, yellow, red, inverse } = new Chalk({ level: 1 });
  return {
    // chalk joins all its arguments: `lines.map(bold)` would print the index too.
    ...{ heading: (text) => bold(text), faint: (text) => dim(text), cursor: (text) => inverse(text) },
    ...{ good: (text) => green(text), waiting: (text) => yellow(text), bad: (text) => red(text) },
  };
}

const STATES = {
  good: /^(active|approved|accepted|done|running|paid|delivered|visible|ok|valid)$/i,
  waiting: /^(submitted|pending|paused|planned|in[ _-]progress|unknown|sending|warning)$/i,
  bad: /^(rejected|failed|blocked|urgent|expired|invalid|problem)$/i,
  faint: /^(inactive|left|archived|closed|skipped)$/i,
} as const;

export function getStatePaint(palette: Palette, word: string): Paint {
  const paints = ['good', 'waiting', 'bad', 'faint'] as const;
  const paint = paints.find((name) => STATES[name].test(word));
  return paint === undefined ? asIs : palette[paint];
}
