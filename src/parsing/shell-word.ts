import { toText } from '../json.ts';

/** Not with `=` in front: zsh reads that as the path of a program. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** A shell drops the line feeds at the end of what a command prints; its own separators end in one. */
const LINE_FEED = '$' + '{IFS#??}';

/** A word as `sh` and its kin read it: for command lines that people copy. */
export function quoteShellWord(word: string): string {
  if (isHidden(word)) return quoteByBytes(word);
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** What a terminal would not show as it is, and what a CI runner would obey: a shell is told it by its bytes. */
function isHidden(word: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|##\w*\[|section_(?:start|end):\d/u.test(
    word,
  );
}

function quoteByBytes(word: string): string {
  const lines = word.split('\n');
  const text = lines.slice(0, lines.findLastIndex((line) => line !== '') + 1).join('\n');
  return `"$(printf '${toOctalEscapes(text)}')${LINE_FEED.repeat(word.length - text.length)}"`;
}

function toOctalEscapes(word: string): string {
  return [...new TextEncoder().encode(word)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** A word of a command line that the reader fills in: `<project>`. */
export function placeholder(name: string): symbol {
  return Symbol(name);
}

function formatWord(word: unknown): string {
  return typeof word === 'symbol' ? `<${word.description}>` : quoteShellWord(toText(word));
}

function isDashed(word: unknown): boolean {
  return typeof word !== 'symbol' && toText(word).startsWith('-');
}

/** Makes a command line from a template, whose values are its words, lists of words and placeholders. */
export type CommandLine = (texts: TemplateStringsArray, ...values: readonly unknown[]) => string;

function appendFlags(line: string, flags: readonly string[]): string {
  return flags.reduce(
    (text, word, i) => `${text}${i % 2 === 1 && isDashed(word) ? '=' : ' '}${formatWord(word)}`,
    line,
  );
}

/**
 * Command lines for `sh` and its kin, to be copied. A word that begins with a dash is never taken for a flag.
 * @param flags what each of them ends in: flags, each with its value
 */
export function createCommandTemplate(flags: readonly string[]): CommandLine {
  return (texts, ...values) => {
    let line = '';
    const operands: string[] = [];
    const add = (word: unknown): void => {
      if (!isDashed(word)) line += formatWord(word);
      else if (/(^|\s)--[\w-]+ $/.test(line)) line = `${line.slice(0, -1)}=${formatWord(word)}`;
      else if (line.startsWith('ttctl')) {
        line = line.trimEnd();
        operands.push(formatWord(word));
      } else line += formatWord(`./${toText(word)}`);
    };
    for (const [i, text] of texts.entries()) {
      line += text;
      const words = i < values.length ? [values[i]].flat() : [];
      for (const [at, word] of words.entries()) {
        if (at > 0) line += ' ';
        add(word);
      }
    }
    const whole = appendFlags(operands.length === 0 ? line : line.trimEnd(), flags);
    return operands.length === 0 ? whole : `${whole} -- ${operands.join(' ')}`;
  };
}

/** A command line that goes wherever the settings lead, or names it itself. */
export const commandLine = createCommandTemplate([]);
