// What a terminal shows after what a program wrote: lines of cells, each a character and its look.
// It knows the sequences that the review screen uses, and refuses others: a picture has to be right.

const PLAIN = Object.freeze({ bold: false, dim: false, inverse: false, colour: '' });
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

const dressed = (look, code) => {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code === 7) return { ...look, inverse: true };
  if (code === 27) return { ...look, inverse: false };
  if (code === 39) return { ...look, colour: '' };
  if (code >= 30 && code <= 37) return { ...look, colour: COLOURS[code - 30] };
  if (code >= 90 && code <= 97) return { ...look, colour: COLOURS[code - 90] };
  throw new Error(`no such look is known: ${code}`);
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
const SEQUENCE = /^\x1b\[([?\d;]*)([A-Za-z])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const BEGUN = /\x1b(\[[?\d;]*)?$/;

/** What a sequence says beside its verb; a look that names none is the plain one. */
const numbersOf = (given, verb) => {
  const numbers = given.replace('?', '');
  if (numbers !== '') return numbers.split(';').map(Number);
  return verb === 'm' ? [0] : [];
};

export const createScreen = (columns, rows) => {
  const blank = () => Array.from({ length: columns }, () => ({ text: ' ', look: PLAIN }));
  let lines = Array.from({ length: rows }, blank);
  let [row, column, look] = [0, 0, PLAIN];

  const down = () => {
    if (row < rows - 1) row += 1;
    else lines = [...lines.slice(1), blank()];
  };
  const erase = (from, to) => {
    for (let at = from; at < to; at += 1) lines[row][at] = { text: ' ', look: PLAIN };
  };
  const within = (value, most) => Math.min(Math.max(value, 0), most - 1);
  const obey = {
    A: ([count = 1]) => (row = within(row - (count || 1), rows)),
    B: ([count = 1]) => (row = within(row + (count || 1), rows)),
    C: ([count = 1]) => (column = within(column + (count || 1), columns)),
    D: ([count = 1]) => (column = within(column - (count || 1), columns)),
    G: ([to = 1]) => (column = within((to || 1) - 1, columns)),
    H: ([line = 1, to = 1]) =>
      ([row, column] = [within((line || 1) - 1, rows), within((to || 1) - 1, columns)]),
    J: ([what = 0]) => {
      const last = row;
      erase(what === 2 ? 0 : column, columns);
      for (row = what === 2 ? 0 : last + 1; row < rows; row += 1) erase(0, columns);
      row = last;
    },
    K: ([what = 0]) => erase(what === 2 ? 0 : column, what === 1 ? column + 1 : columns),
    m: (codes) => (look = codes.reduce(dressed, look)),
    h: () => {},
    l: () => {},
    n: () => {},
  };
  const put = (character) => {
    if (column >= columns) {
      column = 0;
      down();
    }
    lines[row][column] = { text: character, look };
    column += 1;
  };
  const control = {
    '\n': down,
    '\r': () => (column = 0),
    '\b': () => (column = within(column - 1, columns)),
    '\x07': () => {},
  };

  /** A sequence that was cut: its end comes with what is written next. */
  let begun = '';
  const write = (text) => {
    const all = begun + text;
    begun = BEGUN.exec(all)?.[0] ?? '';
    let left = all.slice(0, all.length - begun.length);
    while (left !== '') {
      const [whole, given, verb] = SEQUENCE.exec(left) ?? [];
      if (whole !== undefined) {
        if (obey[verb] === undefined) throw new Error(`no such sequence is known: ${JSON.stringify(whole)}`);
        obey[verb](numbersOf(given, verb));
        left = left.slice(whole.length);
        continue;
      }
      const character = String.fromCodePoint(left.codePointAt(0));
      (control[character] ?? (() => put(character)))();
      left = left.slice(character.length);
    }
  };
  return {
    write,
    lines: () => lines,
    text: () =>
      lines.map((line) =>
        line
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      ),
  };
};
