import checkbox from '@inquirer/checkbox';
import input from '@inquirer/input';
import password from '@inquirer/password';
import search from '@inquirer/search';
import select from '@inquirer/select';
import type { Row } from '../api/page.ts';
import { describeRows, type PeopleStyle } from './cell.ts';
import { type Confirmation, formatConfirmation } from './confirmation.ts';
import { COMFORTABLE, fitColumns } from './fit.ts';
import type { Column } from './list-view.ts';
import {
  askQuestion,
  createPromptPage,
  type PromptControls,
  type PromptPage,
  type QuestionOptions,
  usePromptMessage,
} from './question.ts';
import { safeCell } from './safe-text.ts';
import { findWidest, GAP, getRows, padText, prepareWidths, truncateText } from './terminal.ts';

/** The questions: yes or no, a secret, a text, a choice, and records to pick from. */

export interface TextQuestion {
  /** What Enter alone means; shown. Without one, nothing is no answer. */
  readonly fallback?: string;
  readonly help?: string;
  /** Why an answer cannot be: a short sentence. It is asked again then. */
  readonly check?: (answer: string) => string | undefined;
  /** Takes the question back: it rejects with `Cancelled`. */
  readonly signal?: AbortSignal;
}

/** Records to pick from: one, searched as one types, or several, which are marked. */
export interface PickOptions {
  /** `member to archive`. */
  readonly message: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly several?: boolean;
}

export interface PickedRecord {
  readonly row: Row;
  /** As the person has read it, for a confirmation. */
  readonly words: readonly string[];
}

export interface PickedWords extends Pick<PickedRecord, 'words'>, Pick<PickOptions, 'columns'> {}

export interface AskOptions extends QuestionOptions {
  readonly style: PeopleStyle;
}

/** Enter alone means no. */
export async function confirm(options: AskOptions, confirmation: Confirmation): Promise<boolean> {
  const { style, stderr } = options;
  const lines = await formatConfirmation(confirmation, style);
  if (lines.length > 0) stderr.write(`${lines.join('\n')}\n`);
  const message = `${toSentence(confirmation.question)}?`;
  // Anything but a yes is a no: a text that was pasted, too.
  const isYes = (text: string): boolean => /^y(es)?$/i.test(text.trim());
  const answerWord = (text: string): string => (isYes(text) ? 'yes' : 'no');
  const transformer = (text: string, { isFinal }: Transformed) => (isFinal ? answerWord(text) : text);
  for (;;) {
    let dropped = '';
    const ask = async (controls: PromptControls, context: object) =>
      isYes(
        await input(
          { message, transformer, theme: createTheme(controls, style, { choice: '(y/N)' }) },
          context,
        ),
      );
    const answer = await askQuestion(options, ask, undefined, (keys) => {
      dropped = keys;
    });
    if (!answer || /^[\r\n]*$/.test(dropped)) return answer;
    stderr.write('More keys came with the answer, as from a paste. Answer again.\n');
  }
}

interface Transformed {
  readonly isFinal: boolean;
}

/** Does not echo. */
export function askSecret(options: AskOptions, message: string): Promise<string> {
  return askQuestion(options, (controls, context) =>
    password({ message: `${toSentence(message)}:`, theme: createTheme(controls, options.style) }, context),
  );
}

export function askText(
  options: AskOptions,
  message: string,
  { fallback, check, help = '', signal }: TextQuestion,
): Promise<string> {
  const validate = (text: string): string | true => {
    const problem = text.trim() === '' ? 'Enter a value.' : check?.(text.trim());
    return problem === undefined || safeCell(problem);
  };
  // Pasted text may tell the terminal to do something.
  const transformer = (text: string, { isFinal }: Transformed) => (isFinal ? safeCell(text.trim()) : text);
  const config = { message: `${toSentence(message)}:`, validate, transformer };
  const ask = async (controls: PromptControls, context: object) => {
    const theme = createTheme(controls, options.style, { help: safeCell(help) });
    return (await input({ ...config, theme, ...(fallback && { default: fallback }) }, context)).trim();
  };
  return askQuestion(options, ask, signal);
}

/** So many lines are on the screen at most where one of them is chosen. */
const MAX_HEIGHT = 10;

/** One of a few words. */
export function choose(options: AskOptions, message: string, choices: readonly string[]): Promise<string> {
  const question = toSentence(message);
  const page = createPageAbove(Math.min(choices.length, MAX_HEIGHT));
  const keys = 'Arrow keys or first letters to move, Enter to select';
  return askQuestion(options, (controls, context) =>
    select(
      {
        message: question.endsWith('?') ? question : `${question}:`,
        ...{ choices, pageSize: MAX_HEIGHT, loop: false },
        theme: createTheme(controls, options.style, { page, keys }),
      },
      context,
    ),
  );
}

interface Choice {
  /** Its place among the rows. */
  readonly value: number;
  readonly name: string;
  readonly short: string;
  /** What a search looks in. */
  readonly text: string;
}

/** One by searching, or several by marking them. */
export async function pick(options: AskOptions, picking: PickOptions): Promise<readonly PickedRecord[]> {
  const { message, rows, columns, several = false } = picking;
  const words = await describeRows(rows, columns, options.style);
  const choices = await formatChoices(picking, words, options.style);
  const pageSize = Math.max(3, Math.min(several ? choices.length : MAX_HEIGHT, getRows(options.stderr) - 5));
  const question = `${toSentence(message)}:`;
  const picked = several
    ? await pickSeveral(options, question, choices, pageSize)
    : [await pickOne(options, question, choices, pageSize)];
  return picked.flatMap((value) => {
    const [row, own = []] = [rows[value], words[value]];
    return row === undefined ? [] : [{ row, words: own.filter((word) => word !== '') }];
  });
}

function pickSeveral(
  options: AskOptions,
  message: string,
  choices: readonly Choice[],
  pageSize: number,
): Promise<readonly number[]> {
  const page = createPageAbove(pageSize);
  const keys = `${choices.length}; Up and Down to move, Space to select, Enter to continue`;
  // A letter marks nothing.
  const config = { shortcuts: { all: null, invert: null }, loop: false, required: true };
  return askQuestion({ ...options, dropsPastes: true }, (controls, context) => {
    const theme = createTheme(controls, options.style, { page, keys });
    return checkbox({ ...config, message, choices, pageSize, theme }, context);
  });
}

function pickOne(
  options: AskOptions,
  message: string,
  choices: readonly Choice[],
  pageSize: number,
): Promise<number> {
  const texts = choices.map(({ text }) => foldCase(text));
  const page = createPromptPage(Math.min(choices.length, pageSize) + OTHER_LINES);
  const keys = `${choices.length}; type to search, Enter to select`;
  return askQuestion(options, (controls, context) => {
    const theme = createTheme(controls, options.style, { page, keys });
    const source = (term = '') => findChoices(choices, texts, term);
    return search({ message, source, pageSize, theme }, context);
  });
}

/** The columns below each other, cut so that no line is wrapped; what is narrow is told as shortly as it can be. */
async function formatChoices(
  { rows, columns, several = false }: PickOptions,
  words: readonly (readonly string[])[],
  style: PeopleStyle,
): Promise<readonly Choice[]> {
  await prepareWidths(words.flat());
  const all = columns.map(({ kind = 'text', drop = 0 }, index) => ({
    natural: findWidest(words.map((cells) => cells[index] ?? '')),
    drop: index === 0 ? 0 : drop,
    ...(kind === 'text' || kind === 'list' ? { least: COMFORTABLE } : {}),
    index,
  }));
  const used = all.filter(({ natural }) => natural > 0);
  const marks = several ? 6 : 2;
  // The last column of the screen would make some terminals wrap.
  const { kept, widths } = fitColumns(used, Math.max(20, (style.width ?? 80) - 1) - marks);
  return words.map((cells, value) => {
    const parts = kept.map((at, i) => {
      const [text, width] = [cells[used[at]?.index ?? 0] ?? '', widths[i] ?? 0];
      return padText(truncateText(text, width, style), width);
    });
    const name = parts.join(' '.repeat(GAP)).trimEnd();
    return { value, name, short: cells[0] ?? '', text: [...cells, rows[value]?.id].join(' ') };
  });
}

/** Those that have every word of the search, first those that have its first word at the beginning of one. */
function findChoices(choices: readonly Choice[], texts: readonly string[], term: string): readonly Choice[] {
  const terms = foldCase(term).split(/\s+/).filter(Boolean);
  const [first = ''] = terms;
  const hits = choices.filter((_, i) => terms.every((one) => texts[i]?.includes(one)));
  const begins = ({ value }: Choice): boolean =>
    texts[value]?.startsWith(first) === true || texts[value]?.includes(` ${first}`) === true;
  return [...hits.filter(begins), ...hits.filter((choice) => !begins(choice))];
}

/** Case, accents and vowel points aside. */
function foldCase(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** One line, its first letter large. */
function toSentence(text: string): string {
  const line = safeCell(text);
  return line.slice(0, 1).toUpperCase() + line.slice(1);
}

/** A line to breathe, and the keys. */
const OTHER_LINES = 2;

/** Of a prompt whose cursor is on its last line. */
function createPageAbove(lines: number): PromptPage {
  return { ...createPromptPage(0), enter: '\n'.repeat(lines + OTHER_LINES) };
}

interface Looks {
  /** How an answer looks; gone once there is one. */
  readonly help?: string;
  /** The same, as part of the question: `(y/N)`. */
  readonly choice?: string;
  /** What the keys do. */
  readonly keys?: string;
  readonly page?: PromptPage;
}

/** One look for all prompts, in our colours alone: theirs heed no wish for none. */
function createTheme(
  controls: PromptControls,
  { palette, unicode }: PeopleStyle,
  { help = '', choice = '', keys = '', page = createPromptPage(1) }: Looks = {},
) {
  const asIs = (text: string): string => text;
  return {
    prefix: { idle: palette.good('?'), done: palette.good(unicode ? '✔' : '*'), loading: palette.good('?') },
    spinner: { frames: ['?'] },
    icon: { cursor: '>', checked: ' [x]', unchecked: ' [ ]' },
    validationFailureMode: 'clear' as const,
    style: {
      // A prompt sets it anew whenever it is drawn.
      message: (text: string, status: string): string => {
        usePromptMessage(controls, page);
        if (status === 'done') return text;
        return `${text}${choice && ` ${choice}`}${help && ` ${palette.faint(`(${help})`)}`}`;
      },
      answer: asIs,
      searchTerm: asIs,
      defaultAnswer: (text: string) => `(${safeCell(text)})`,
      error: palette.bad,
      help: palette.faint,
      highlight: palette.heading,
      maskedText: '[hidden]',
      keysHelpTip: () => palette.faint(keys),
    },
  };
}
