import { isNumber, isRounded } from '../../json/number.ts';
import { parseJson } from '../../json/parse.ts';

/** JSON whose values know their line, so that a mistake in a seed file can be pointed at. */

export interface Located {
  /** From 1. */
  readonly line: number;
  readonly value: string | number | boolean | null | readonly Located[] | ReadonlyMap<string, Located>;
}

/** Text that is not JSON. */
export class NotJson extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.name = 'NotJson';
    this.line = line;
  }
}

interface Token {
  readonly text: string;
  readonly line: number;
}

const TOKEN =
  /("[^"\\\n]*(?:\\.[^"\\\n]*)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:])|(\s+)/y;
const MAX_DEPTH = 50;

const tokenize = (text: string): Token[] => {
  const tokens: Token[] = [];
  let line = 1;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const index = TOKEN.lastIndex;
    const piece = TOKEN.exec(text)?.[0];
    if (piece === undefined)
      throw new NotJson(`unexpected ${text.slice(index, index + 10).split('\n')[0]}`, line);
    if (piece.trim() !== '') tokens.push({ text: piece, line });
    line += piece.split('\n').length - 1;
  }
  return [...tokens, { text: '', line }];
};

const parseScalar = (token: Token): Located => {
  if (token.text === '') throw new NotJson('unexpected end of file', token.line);
  const { text, line } = token;
  const parsed = parseJson(text);
  if ('problem' in parsed) throw new NotJson(`unexpected ${text}`, line);
  const value = parsed.value as Located['value'];
  if (isNumber(value) && isRounded(value))
    throw new NotJson(`${text} has more digits than can be kept`, line);
  return { line, value };
};

/** Takes token after token. */
const createTokenReader = (tokens: readonly Token[]) => {
  let index = 0;
  const take = (): Token => {
    const token = tokens[index] ?? { text: '', line: 1 };
    index += 1;
    return token;
  };
  const expect = (expected: string): void => {
    const token = take();
    if (token.text !== expected) {
      throw new NotJson(`expected ${expected} and found ${token.text || 'the end'}`, token.line);
    }
  };
  /** Items up to the closing bracket; each is read by `readItem`. */
  const readItems = (close: string, readItem: () => void): void => {
    if (tokens[index]?.text === close) {
      index += 1;
      return;
    }
    for (;;) {
      readItem();
      if (tokens[index]?.text === close) break;
      expect(',');
    }
    index += 1;
  };
  return { take, expect, readItems };
};

const readValue = (reader: ReturnType<typeof createTokenReader>, depth: number): Located => {
  const { take, expect, readItems } = reader;
  const token = take();
  if (depth > MAX_DEPTH) throw new NotJson('nested too deeply', token.line);
  if (token.text === '[') {
    const list: Located[] = [];
    readItems(']', () => list.push(readValue(reader, depth + 1)));
    return { line: token.line, value: list };
  }
  if (token.text !== '{') return parseScalar(token);
  const fields = new Map<string, Located>();
  readItems('}', () => {
    const name = parseScalar(take());
    if (typeof name.value !== 'string') throw new NotJson('expected a name in quotes', name.line);
    if (fields.has(name.value)) throw new NotJson(`${name.value} appears twice`, name.line);
    expect(':');
    fields.set(name.value, readValue(reader, depth + 1));
  });
  return { line: token.line, value: fields };
};

/** Reads one document. @throws NotJson with the line of the first fault. */
export const parseLocated = (text: string): Located => {
  const reader = createTokenReader(tokenize(text.replace(/^\uFEFF/, '')));
  const document = readValue(reader, 0);
  const rest = reader.take();
  if (rest.text !== '') throw new NotJson(`unexpected ${rest.text} after the end`, rest.line);
  return document;
};
