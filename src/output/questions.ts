import checkbox from '@inquirer/checkbox';
import input from '@inquirer/input';
import password from '@inquirer/password';
import search from '@inquirer/search';
import select from '@inquirer/select';
import type { Row } from '../api/page.ts';
import { collapseBlanks, foldCase } from '../parsing/text.ts';
import { describeRows, type PeopleStyle } from './cell.ts';
import type { Column } from './list-view.ts';
import { askQuestion, type PromptControls, type QuestionOptions, usePromptControls } from './question.ts';
import { safeCell, safeName } from './safe-text.ts';
import {
  findWidest,
  GAP,
  getEllipsis,
  getRows,
  padText,
  prepareWidths,
  truncateText,
  wrapPieces,
  wrapText,
} from './terminal.ts';

export interface Confirmation {
  readonly question: string;
  /** Lines of what is meant: `label  text` with two spaces or more between them, or a sentence. */
  readonly facts: readonly string[];
  /** Some of the targets, each in a few words that stay whole: what names it first, its id last. */
  readonly sample?: readonly (readonly string[])[];
  /** What has to be heeded of each of the sample, a sentence each. */
  readonly warnings?: readonly (readonly string[])[];
  readonly more?: number;
  readonly summary?: string;
  /** Nothing of the service is touched: its account and workspace are not shown. */
  readonly local?: true;
}

export interface TextQuestion {
  /** What Enter alone means; shown. Without one, nothing is no answer. */
  readonly fallback?: string;
  readonly help?: string;
  /** Why an answer cannot be: a short sentence. It is asked again then. */
  readonly check?: (answer: string) => string | undefined;
  /** Takes the question back: it rejects with `Cancelled`. */
  readonly signal?: AbortSignal;
}

export interface PickOptions {
  readonly message: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly several?: boolean;
  /** By their words, `Team 2` before `Team 10`. Default: as they come. */
  readonly sorts?: boolean;
}

export interface PickedRecord {
  readonly row: Row;
  /** As the person has read it, for a confirmation. */
  readonly words: readonly string[];
}

export interface PickedWords extends Pick<PickedRecord, 'words'>, Pick<PickOptions, 'columns'> {}

interface AskOptions extends QuestionOptions {
  readonly style: PeopleStyle;
}

export async function confirm(options: AskOptions, confirmation: Confirmation): Promise<boolean> {
  const { style, stderr } = options;
  const lines = await formatConfirmation(confirmation, style);
  if (lines.length > 0) stderr.write(`${lines.join('\n')}\n`);
  const message = `${toSentence(confirmation.question)}?`;
  // Anything but a yes is a no: a text that was pasted, too.
  const isYes = (text: string): boolean => /^y(es)?$/i.test(text.trim());
  const transformer = (text: string, { isFinal }: { isFinal: boolean }) => {
    if (!isFinal) return text;
    return isYes(text) ? 'yes' : 'no';
  };
  for (;;) {
    let dropped = '';
    const ask = async (controls: PromptControls, context: object) => {
      const theme = createTheme(controls, style, { choice: '(y/N)' });
      return isYes(await input({ message, transformer, theme }, context));
    };
    const answer = await askQuestion(options, ask, undefined, (keys) => {
      dropped = keys;
    });
    if (!answer || /^[\r\n]*$/.test(dropped)) return answer;
    stderr.write('More keys came with the answer, as from a paste. Answer again.\n');
  }
}

const INDENT = ' '.repeat(2);
const CONTINUATION = 4;
const LABEL_WIDTH = 9;

export async function formatConfirmation(
  { facts, sample = [], warnings = [], more = 0, summary }: Confirmation,
  style: PeopleStyle,
): Promise<readonly string[]> {
  const { width = 80, palette } = style;
  const wrapFact = (fact: string): readonly string[] => {
    const [, label, text = ''] = /^(\S+) {2,}(\S.*)$/.exec(fact) ?? [];
    if (label === undefined) return wrapText(INDENT, fact, width);
    const head = INDENT + label.padEnd(LABEL_WIDTH + GAP);
    const [first = '', ...others] = wrapText(head, collapseBlanks(text), width);
    return [INDENT + palette.faint(label) + first.slice(INDENT.length + label.length), ...others];
  };
  const records = sample.map((cells) => cells.map(safeName));
  const heeded = warnings.map((lines) => lines.map(safeCell));
  await prepareWidths([...facts.map(safeCell), ...records.flat(), ...heeded.flat()]);
  const measure = (i: number): number => findWidest(records.map((row) => row[i] ?? ''));
  const below = records.flatMap((row, n) => {
    const cells = row.flatMap((cell, i) => (measure(i) === 0 ? [] : padText(cell, measure(i))));
    const pieces = cells.map((text) => ({ text, gap: GAP }));
    const notes = (heeded[n] ?? []).flatMap((text) =>
      wrapText(`${' '.repeat(CONTINUATION)}! `, text, width).map((line) => palette.waiting(line)),
    );
    return [...wrapPieces(INDENT, pieces, { width, indent: CONTINUATION }), ...notes];
  });
  if (more > 0) below.push(`${INDENT}${getEllipsis(style)} and ${more} more`);
  if (summary !== undefined) for (const line of ['', ...wrapFact(summary)]) below.push(line);
  const above = facts.map(safeCell).flatMap(wrapFact);
  if (above.length + below.length === 0) return [];
  return [...above, ...(above.length > 0 && below.length > 0 ? [''] : []), ...below, ''];
}

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
  const transformer = (text: string, { isFinal }: { isFinal: boolean }) =>
    isFinal ? safeCell(text.trim()) : text;
  const config = { message: `${toSentence(message)}:`, validate, transformer };
  const ask = async (controls: PromptControls, context: object) => {
    const theme = createTheme(controls, options.style, { help: safeCell(help) });
    return (await input({ ...config, theme, ...(fallback && { default: fallback }) }, context)).trim();
  };
  return askQuestion(options, ask, signal);
}

const MAX_HEIGHT = 10;

export function choose(options: AskOptions, message: string, choices: readonly string[]): Promise<string> {
  const question = toSentence(message);
  const keys = 'Arrow keys or first letters to move, Enter to select';
  return askQuestion(options, (controls, context) =>
    select(
      {
        message: question.endsWith('?') ? question : `${question}:`,
        ...{ choices, pageSize: MAX_HEIGHT, loop: false },
        theme: createTheme(controls, options.style, { keys }),
      },
      context,
    ),
  );
}

export async function pick(options: AskOptions, picking: PickOptions): Promise<readonly PickedRecord[]> {
  const { style } = options;
  const { rows, columns, several = false, sorts = false } = picking;
  const words = await describeRows(rows, columns, style);
  await prepareWidths(words.flat());
  // The columns below each other, cut so that no line is wrapped: the last one of the screen would make some wrap.
  const widths = columns.map((_, i) => findWidest(words.map((cells) => cells[i] ?? '')));
  const room = Math.max(20, (style.width ?? 80) - 1) - (several ? 6 : 2);
  const choices = words.map((cells, value) => {
    const parts = cells.flatMap((text, i) => (widths[i] === 0 ? [] : padText(text, widths[i] ?? 0)));
    const name = truncateText(parts.join(' '.repeat(GAP)).trimEnd(), room, style);
    return { value, name, short: cells[0] ?? '', text: foldCase([...cells, rows[value]?.id].join(' ')) };
  });
  const collator = new Intl.Collator(undefined, { numeric: true });
  if (sorts) choices.sort((one, other) => collator.compare(one.text, other.text));
  const pageSize = Math.max(3, Math.min(several ? rows.length : MAX_HEIGHT, getRows(options.stderr) - 5));
  const message = `${toSentence(picking.message)}:`;
  const ask = async (controls: PromptControls, context: object): Promise<readonly number[]> => {
    if (several) {
      const keys = `${rows.length}; Up and Down to move, Space to select, Enter to continue`;
      const theme = createTheme(controls, style, { keys });
      const config = { shortcuts: { all: null, invert: null }, loop: false, required: true };
      return checkbox({ ...config, message, choices, pageSize, theme }, context);
    }
    const theme = createTheme(controls, style, { keys: `${rows.length}; type to search, Enter to select` });
    const source = (term = '') => {
      const terms = foldCase(term).split(/\s+/);
      return choices.filter(({ text }) => terms.every((one) => text.includes(one)));
    };
    return [await search({ message, source, pageSize, theme }, context)];
  };
  const picked = await askQuestion({ ...options, dropsPastes: several }, ask);
  return picked.flatMap((value) => {
    const [row, own = []] = [rows[value], words[value]];
    return row === undefined ? [] : [{ row, words: own.filter((word) => word !== '') }];
  });
}

function toSentence(text: string): string {
  const line = safeCell(text);
  return line.slice(0, 1).toUpperCase() + line.slice(1);
}

/**
 * One look for all prompts, in our colours alone: theirs heed no wish for none.
 * @param looks `help` is gone once there is an answer; `choice` is part of the question: `(y/N)`; `keys`: what they do
 */
function createTheme(
  controls: PromptControls,
  { palette, unicode }: PeopleStyle,
  { help = '', choice = '', keys = '' }: { help?: string; choice?: string; keys?: string } = {},
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
        usePromptControls(controls);
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
