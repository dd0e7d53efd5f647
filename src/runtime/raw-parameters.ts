import type { Extra } from '../api/plan.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { RawParameters } from '../context.ts';
import { parseJson } from '../json/parse.ts';
import { UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { describeInput } from './read-text.ts';

/** What `--param`, `--field` and `--input` say (docs/requirements.md, CLI-4). */

const texts = (raw: unknown): readonly string[] => (Array.isArray(raw) ? raw.map(String) : []);

const split = (flag: string, text: string, mark: string): [string, string] => {
  const at = text.indexOf(mark);
  if (at < 1) throw new UsageError(`${flag}: "${text}" is not name${mark}value`);
  return [text.slice(0, at), text.slice(at + mark.length)];
};

/** Characters of a value that an error quotes. */
const SHOWN = 80;

const shortened = (value: string): string => (value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value);

/** `name=text`, or `name:=json`. */
const field = (text: string): [string, unknown] => {
  const json = text.indexOf(':=');
  if (json < 1 || text.indexOf('=') < json) return split('--field', text, '=');
  const [name, value] = split('--field', text, ':=');
  const parsed = parseJson(value, { unique: true });
  if ('value' in parsed) return [name, parsed.value];
  const { line, column, what } = parsed.problem;
  throw new UsageError(`--field ${name}: "${shortened(value)}" cannot be read as JSON`, {
    reason: `${line === 1 ? '' : `line ${line}, `}column ${column}: ${what}`,
    ...(value.length > SHOWN ? {} : { hint: `For text, use ${commandLine`--field ${`${name}=${value}`}`}` }),
  });
};

const parseInput = (file: string, text: string): unknown => {
  const parsed = parseJson(text, { unique: true });
  if ('value' in parsed) return parsed.value;
  const { line, column, what } = parsed.problem;
  throw new UsageError(`${describeInput(file)} cannot be read as JSON`, {
    reason: `line ${line}, column ${column}: ${what}`,
  });
};

/**
 * @param wide whether `--workspace` is given
 * @param read the text of a file, or of stdin for `-`
 * @throws UsageError for what cannot be read, and for what a flag gives too
 */
export const readRawParameters = async (
  invocation: Invocation,
  wide: boolean,
  read: (file: string) => Promise<string>,
): Promise<RawParameters> => {
  const { options } = invocation;
  const query = texts(options.param).map((text) => split('--param', text, '='));
  const fields = Object.fromEntries(texts(options.field).map(field));
  const file = options.input;
  // `--no-input` is a flag of every command, and no text.
  const input = typeof file === 'string' ? parseInput(file, await read(file)) : undefined;
  const raws = { query, fields, input };
  if (query.length + Object.keys(fields).length === 0 && input === undefined) return raws;
  return (await import('./raw-clashes.ts')).resolveRawClashes(invocation, raws, wide);
};

/** What they add to the values of the table; an input that is no object adds nothing. */
export const toExtra = ({ query, fields, input }: RawParameters): Extra => ({
  query,
  body: fields,
  input: typeof input === 'object' && input !== null ? { ...input } : {},
});
