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

/** Columns between two cells. */
export const GAP = 2;

/** As wide as it is long, whoever measures it. */
export const PLAIN = /^[\x20-\x7e]*$/;

let stringWidth: ((text: string) => number) | undefined;

/** To be called before these texts, or parts of them, are measured: loads string-width where one is more than ASCII. */
export async function prepareWidths(texts: readonly string[]): Promise<void> {
  if (stringWidth === undefined && !texts.every((text) => PLAIN.test(text)))
    stringWidth = (await import('string-width')).default;
}

const SCRIPTS = ['Latin', 'Greek', 'Cyrillic', 'Han', 'Hiragana', 'Katakana'];
let piecePattern: RegExp | undefined;

const MAX_CACHED = 10_000;
const widthCache = new Map<string, number>();

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** Columns of a text, which may be coloured; characters that take two are known where widths are prepared for it. */
export function textWidth(coloured: string): number {
  if (PLAIN.test(coloured)) return coloured.length;
  const text = coloured.replace(COLOUR, '');
  if (stringWidth === undefined) return [...text].length;
  let width = text.length;
  // What is more than ASCII, with the character that it may belong to, up to a letter that always begins anew: short
  // pieces, because to find the graphemes of a long text takes minutes.
  const begins = SCRIPTS.map((name) => `\\p{Script=${name}}`).join('');
  piecePattern ??= new RegExp(`[\\x20-\\x7e]?[^\\x20-\\x7e]+?(?=[\\x20-\\x7e${begins}]|$)`, 'gu');
  for (const [piece] of text.matchAll(piecePattern)) {
    const columns = widthCache.get(piece) ?? stringWidth(piece);
    if (widthCache.size >= MAX_CACHED) widthCache.clear();
    widthCache.set(piece, columns);
    width += columns - piece.length;
  }
  return width;
}

/** Columns of the widest; 0 for none. */
export function findWidest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
}

/** Fills up with spaces; a text that is too wide stays as it is. */
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

/** What stays on one line where it fits on one. */
export interface TextPiece {
  readonly text: string;
  /** Spaces before it, where it does not begin a line. Default 1. */
  readonly gap?: number;
  /** Where it may be broken when it is wider than a whole line; within its parts anywhere. Absent: it stays whole. */
  readonly seams?: (text: string) => readonly string[];
}

const COMMANDS = new Set(['ttctl', 'chmod', 'chown', 'cp', 'eval', 'export', 'mv', 'rm']);
const ENDS = /[.,;:)]$/;

/**
 * The words of a sentence; a command line in it stays whole, so that it can be copied.
 * @param gap before the first of them
 */
export function splitWords(text: string, gap = 1): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  // `request: PUT /timesheets/17/approve (400)`: nothing that is copied.
  const seams = text.trimStart().startsWith('request: ') ? { seams: splitAddress } : {};
  let command = false;
  let quoted = false;
  let previous = '';
  for (const word of text.split(' ')) {
    const last = pieces.at(-1);
    // A quoted word of a command line may hold anything.
    command &&= quoted || (!ENDS.test(previous) && !word.startsWith('('));
    if (command && last !== undefined) pieces[pieces.length - 1] = { ...last, text: `${last.text} ${word}` };
    else pieces.push({ text: word, ...(last === undefined ? { gap } : {}), ...seams });
    command ||= COMMANDS.has(word);
    const quotes = word.replace(/\\./g, '').match(/["']/g) ?? [];
    quoted = command && quoted !== (quotes.length % 2 === 1);
    previous = word;
  }
  return pieces;
}

/** An address breaks behind a slash and before a parameter. */
export function splitAddress(address: string): readonly string[] {
  return address.split(/(?<=[^/]\/)|(?=[?&])/).filter((part) => part !== '');
}

/** A text in parts that are no wider, cut between words, else between graphemes. */
function splitToWidth(text: string, width: number): readonly string[] {
  if (textWidth(text) <= width) return [text];
  const words = text.split(/(?<= )/);
  if (words.length > 1) return words.flatMap((word) => splitToWidth(word, width));
  const parts: string[] = [''];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const last = parts.at(-1) ?? '';
    if (last !== '' && textWidth(last + segment) > width) parts.push(segment);
    else parts[parts.length - 1] = last + segment;
  }
  return parts;
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
  const room = width - indent;
  const parts = pieces.flatMap((piece): readonly TextPiece[] => {
    if (piece.seams === undefined || textWidth(piece.text) <= room) return [piece];
    return piece
      .seams(piece.text)
      .flatMap((part) => splitToWidth(part, room))
      .map((text, i) => ({ text, gap: i === 0 ? (piece.gap ?? 1) : 0 }));
  });
  for (const { text, gap = 1 } of parts) {
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

/**
 * Words that stay whole (an id, an address or a path is there to be copied) in lines of at most this width.
 * @param head what stands at the beginning of the first line; the others are indented as far
 */
export function wrapText(head: string, text: string, width: number, indent = head.length): readonly string[] {
  const words = text.split(' ').map((word, i) => ({ text: word, gap: i === 0 ? 0 : 1 }));
  return wrapPieces(head, words, { width, indent });
}

/**
 * What is said on stderr, sanitised, redacted and painted: what does not fit goes on two columns further in;
 * `command    timesheets approve` below its text.
 */
export function wrapIndented(text: string, width: number): string {
  const wrapped = text.split('\n').map((line) => {
    if (textWidth(line) <= width) return line;
    const [head = ''] = /^(\S+ {2,}| *)/.exec(line) ?? [];
    const indent = head.trim() === '' ? head.length + 2 : head.length;
    const pieces = splitWords(line.slice(head.length), 0);
    return wrapPieces(head, pieces, { width, indent }).join('\n');
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

/** chalk is loaded only when there is colour. */
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

const GOOD = [
  ...['active', 'approved', 'accepted', 'done', 'running'],
  ...['paid', 'delivered', 'visible', 'ok', 'valid'],
];
const WAITING = ['submitted', 'pending', 'paused', 'planned', 'in progress', 'unknown', 'sending', 'warning'];
const BAD = ['rejected', 'failed', 'blocked', 'urgent', 'expired', 'invalid', 'problem'];
const GONE = ['inactive', 'left', 'archived', 'closed', 'skipped'];

/** The colour of a state; the word itself is always there too. */
export function getStatePaint(palette: Palette, word: string): Paint {
  const key = word.toLowerCase().replace(/[_-]/g, ' ');
  if (GOOD.includes(key)) return palette.good;
  if (WAITING.includes(key)) return palette.waiting;
  if (BAD.includes(key)) return palette.bad;
  return GONE.includes(key) ? palette.faint : asIs;
}
