import type { Extra } from '../../api/plan.ts';
import type { Invocation } from '../../cli/flag.ts';
import { UsageError } from '../../errors.ts';
import { isRecord, parseJson } from '../../json.ts';
import { quoteText } from '../../parsing/text.ts';
import type { Machine } from '../../platform/machine.ts';
import { nameInput, readText } from './files.ts';

/** The raw values of a command line: `--param`, `--field`, `--input`, and as `gh api` writes them. */

/**
 * @param hasWorkspaceFlag whether `--workspace` is given: it lies over the `workspace_id` of an `--input`
 * @returns `workspace`: what a `workspace_id` among them says, which is what `--workspace` would
 * @throws UsageError for what cannot be read, and for what a flag gives too
 */
export async function readRawParameters(
  invocation: Invocation,
  hasWorkspaceFlag: boolean,
  machine: Machine,
): Promise<{ readonly extra: Extra; readonly workspace?: unknown }> {
  const { param, field, typedField, input: file } = invocation.options;
  // `--no-input` is a flag of every command, and no text.
  const inputFile = typeof file === 'string' ? file : undefined;
  const typed = toTexts(typedField).map((text) => splitPair('--typed-field', text, '='));
  const stdins = [...typed.map(([, value]) => value), `@${inputFile}`].filter((text) => text === '@-');
  if (stdins.length > 1) throw new UsageError('stdin can be read only once');
  const fields = new Map<string, unknown>();
  const add = (name: string, value: unknown): void => {
    if (/[[\]]/.test(name))
      throw new UsageError(`"${name}" cannot be the name of a field`, {
        hint: `For nested JSON, use ${name.replace(/\[.*/s, '')}:=json or --input; in a query, write it in the path.`,
      });
    if (fields.has(name)) throw new UsageError(`the field ${name} was given more than once`);
    fields.set(name, value);
  };
  for (const text of toTexts(field)) {
    const json = text.indexOf(':=');
    const isJson = json > 0 && text.indexOf('=') > json;
    const [name, value] = splitPair('--field', text, isJson ? ':=' : '=');
    const hint = `For text, write ${name}= in place of ${name}:=`;
    add(name, isJson ? parseStrictly(value, `--field ${name}: ${quoteText(value)}`, hint) : value);
  }
  for (const [name, value] of typed)
    add(name, value.startsWith('@') ? await readText(machine, value.slice(1)) : toTypedValue(value));
  let query = toTexts(param).map((text) => splitPair('--param', text, '='));
  const { operation } = invocation.command;
  const input: unknown =
    inputFile === undefined ? {} : await readInput(inputFile, machine, operation !== undefined);
  // `ttctl api` sends any JSON.
  const toExtra = () => ({ query, body: Object.fromEntries(fields), input: input as Extra['input'] });
  if (operation === undefined || operation.workspace === 'none') return { extra: toExtra() };
  const own = fields.get('workspace_id') ?? query.find(([name]) => name === 'workspace_id')?.[1];
  // Sent twice, or one in silence over the other, they mean what nobody asked for.
  if (hasWorkspaceFlag && own !== undefined)
    throw new UsageError('workspace_id is already set by --workspace', { hint: 'Omit one of the two.' });
  fields.delete('workspace_id');
  query = query.filter(([name]) => name !== 'workspace_id');
  const { workspace_id: inInput, ...rest } = Object(input);
  const workspace = hasWorkspaceFlag ? undefined : (own ?? inInput);
  return { extra: { ...toExtra(), input: rest }, workspace };
}

async function readInput(file: string, machine: Machine, isRecordNeeded: boolean): Promise<unknown> {
  const input = parseStrictly(await readText(machine, file), nameInput(file));
  if (isRecordNeeded && !isRecord(input)) throw new UsageError('--input is not a JSON object');
  return input;
}

function toTexts(raw: unknown): readonly string[] {
  return Array.isArray(raw) ? raw.map(String) : [];
}

function splitPair(flag: string, text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  if (at < 1) throw new UsageError(`${flag}: "${text}" is not name${separator}value`);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

function parseStrictly(text: string, what: string, hint?: string): unknown {
  const parsed = parseJson(text, { strict: true });
  if ('value' in parsed) return parsed.value;
  const { line, column, what: problem } = parsed.problem;
  const reason = `line ${line}, column ${column}: ${problem}`;
  throw new UsageError(`${what} cannot be read as JSON`, { reason, hint });
}

/** What only looks like a number (`007`) is text. */
function toTypedValue(text: string): unknown {
  const parsed = /^(true|false|null|-?\d\S*)$/.test(text) ? parseJson(text) : undefined;
  return parsed !== undefined && 'value' in parsed ? parsed.value : text;
}
