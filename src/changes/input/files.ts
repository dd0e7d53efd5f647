import { constants, existsSync, lstatSync, openSync, realpathSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { Extra } from '../../api/plan.ts';
import type { Invocation } from '../../cli/flag.ts';
import { ApiError, EXIT, Failure, UsageError } from '../../errors.ts';
import { isRecord, parseJson } from '../../json.ts';
import { MAX_BYTES, MAX_SIZE, quoteText } from '../../parsing/text.ts';
import type { Machine } from '../../platform/machine.ts';
import { checkOwnFile, replaceNamed } from '../../storage/own-files.ts';
import { getErrno, makePrivateDirectory } from '../../storage/write.ts';

/** Files that the command line names, and stdin for `-`: read as text, or written. */

type Input = Pick<Machine, 'stdin' | 'interrupted'>;
type Warn = (text: string) => void;

/** @throws as `readBytes`; UsageError for bytes that are no text */
export async function readText(machine: Input, file: string, ownWarn?: Warn): Promise<string> {
  try {
    return decodeText(await readBytes(machine, file, ownWarn));
  } catch (error) {
    const isNamed = error instanceof UsageError && ['unreadable', 'unsafe_file'].includes(error.code ?? '');
    if (!(error instanceof UsageError) || isNamed) throw error;
    throw new UsageError(`${nameInput(file)}: ${error.message}`, { hint: error.hint, cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'It is a directory.',
  EACCES: 'Permission denied.',
};

/**
 * A file, a pipe or a terminal to its end.
 * @param ownWarn the file is one that nobody else owns or may write; told where root takes it all the same
 * @throws UsageError for stdin at a terminal, for what cannot be read, and for more than the limit of all input; what a
 *   signal was aborted with
 */
export async function readBytes(
  { stdin, interrupted }: Input,
  file: string,
  ownWarn?: Warn,
): Promise<Buffer> {
  if (file === '-' && stdin.isTTY)
    throw new UsageError('stdin is a terminal', { hint: 'Pipe the input in, or use a file.' });
  const parts: Buffer[] = [];
  let size = 0;
  let handle: FileHandle | undefined;
  let stop = (): void => {};
  try {
    // To open a pipe that nobody writes to would wait for a writer, and no signal would end that.
    const isPipe = file !== '-' && statSync(file).isFIFO();
    if (file !== '-' && !isPipe) handle = await open(file);
    // A pipe is read as whoever wrote into it says: the shell that made it, or whom the person trusts.
    if (handle !== undefined && ownWarn !== undefined && (await handle.stat()).isFile())
      checkOwnFile(file, handle.fd, { kind: 'named', warn: ownWarn });
    let stream: Readable = handle?.createReadStream() ?? stdin;
    if (isPipe) {
      const { Socket } = await import('node:net');
      const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
      stream = new Socket({ fd, readable: true, writable: false });
    }
    stop = () => void stream.destroy(interrupted.reason as Error);
    if (interrupted.aborted) stop();
    interrupted.addEventListener('abort', stop, { once: true });
    for await (const part of stream) {
      size += parts[parts.push(Buffer.from(part)) - 1]?.length ?? 0;
      if (size > MAX_BYTES)
        throw new UsageError(`it is larger than ${MAX_SIZE}`, { hint: 'Split it into smaller files.' });
    }
    interrupted.throwIfAborted();
    return Buffer.concat(parts);
  } catch (error) {
    const code = getErrno(error);
    if (code === undefined) throw error;
    const reason = REASONS[code] ?? String(error);
    throw new UsageError(`cannot read ${file}`, { code: 'unreadable', reason, cause: error });
  } finally {
    interrupted.removeEventListener('abort', stop);
    await handle?.close();
  }
}

/** Lines `name: value`, whose values are masked from now on wherever they appear. @throws as `readText` */
export async function readSecrets(machine: Input & Pick<Machine, 'redactor'>, file: string): Promise<string> {
  const text = await readText(machine, file);
  for (const line of text.split(/\r?\n/)) machine.redactor.register(line.replace(/^[^:]*:/, '').trim());
  return text;
}

/** The text of a file in a folder; undefined where there is none. @throws as `readText`; UsageError for a link out of it */
export async function findText(machine: Input, file: string): Promise<string | undefined> {
  let stats: Stats | undefined;
  try {
    stats = statSync(file, { throwIfNoEntry: false });
  } catch {
    // A file in place of its folder: nothing could be found there, nor written.
    const hint = 'Name another folder.';
    const reason = 'It is not a folder.';
    throw new UsageError(`cannot use ${dirname(file)}`, { code: 'unreadable', reason, hint });
  }
  checkStaysInFolder(file, 'read');
  if (stats === undefined) return undefined;
  // A pipe would be waited for, and never be found again.
  if (!stats.isFile() && !stats.isDirectory())
    throw new UsageError(`cannot read ${file}`, { code: 'unreadable', reason: 'It is not a file.' });
  return readText(machine, file);
}

/** Writes a file of a folder, which is made if it is missing. @throws Failure (exit 1); UsageError for a link out of it */
export function writeInFolder(folder: string, file: string, text: string): void {
  makePrivateDirectory(folder);
  checkStaysInFolder(file, 'write to');
  replaceNamed(file, text);
}

export function nameInput(file: string): string {
  return file === '-' ? 'stdin' : file;
}

/** UTF-8; a byte order mark is taken off. @throws UsageError for what is no text */
export function decodeText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // As workbooks and UTF-16 have them.
    if (![...text.slice(0, 4)].some((character) => character < '\t')) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  // A ZIP archive, as .xlsx is one, or what .xls was.
  if (/^(504b0304|d0cf11e0)/.test(Buffer.from(bytes.subarray(0, 4)).toString('hex')))
    throw new UsageError('it is an Excel workbook, not text', {
      hint: 'Save it as "CSV UTF-8", and use that.',
    });
  throw new UsageError('it is not UTF-8 text', {
    hint: 'Save it as "CSV UTF-8", or convert it: iconv -f latin1 -t utf-8 (or -f utf-16)',
  });
}

/**
 * A folder may come from elsewhere, and a link in it lead anywhere.
 * @throws UsageError for a link out of its folder
 */
function checkStaysInFolder(file: string, verb: 'read' | 'write to'): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  const target = existsSync(file) ? realpathSync(file) : '';
  if (target.startsWith(realpathSync(dirname(file)) + sep)) return;
  throw new UsageError(`cannot ${verb} ${file}`, {
    code: 'unreadable',
    reason: 'It is a link out of its folder.',
    hint: 'Put a file in its place.',
  });
}

const MAX_LISTED = 1000;

/** All that is wrong with the rows of a file, or with targets, told together. */
export class RowProblems {
  count = 0;
  readonly #file: string | undefined;
  readonly #listed: string[] = [];
  readonly #exits = new Set<Failure['exit']>();
  #hint: string | undefined;

  /** @param file as messages name it: `people.csv`, `stdin`; undefined for the words of the command line */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  /**
   * @param exit what it would be alone, where that is not wrong usage
   * @param place the file, of several that are told together
   */
  add(
    line: number | undefined,
    what: string,
    hint?: string,
    exit: Failure['exit'] = EXIT.usage,
    place = this.#file,
  ): void {
    this.count += 1;
    this.#exits.add(exit);
    this.#hint ??= hint;
    const where = place === undefined ? '' : `${place}:${line === undefined ? '' : `${line}:`} `;
    if (this.count <= MAX_LISTED) this.#listed.push(where + what);
  }

  /** @throws UsageError; Failure (exit 5) where every fault is a name that nothing has */
  throwIfAny(): void {
    const { count } = this;
    if (count === 0) return;
    const message = `${this.#file ?? 'the command line'} has ${count} error${count === 1 ? '' : 's'}; nothing was sent`;
    const details = { errors: this.#listed, ...(count > MAX_LISTED ? { error_count: count } : {}) };
    const facts = { details, hint: this.#hint };
    if (this.#exits.size === 1 && this.#exits.has(EXIT.notFound))
      throw new Failure(message, { code: 'not_found', exit: EXIT.notFound, ...facts });
    throw new UsageError(message, { code: 'invalid_input', ...facts });
  }
}

const NAME_ERROR_CODES: ReadonlySet<string> = new Set(['not_found', 'ambiguous', 'not_an_address']);

/** Whether it is a name that is wrong, and not the service, or the run. */
export function isNameError(error: unknown): error is Failure {
  return error instanceof Failure && !(error instanceof ApiError) && NAME_ERROR_CODES.has(error.code);
}

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
