import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { Extra } from '../api/plan.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Calendar } from '../commands/convert.ts';
import type { Context, InputFile, NameResolver, RawParameters } from '../context.ts';
import { UsageError } from '../errors.ts';
import { parseJson } from '../json.ts';
import type { Machine } from '../platform/machine.ts';
import { getErrno } from '../storage/failure.ts';
import type { CheckFile } from '../storage/read.ts';

/** What the command line names to be read: a file, or stdin for `-`. */

const describeInput = (file: string): string => (file === '-' ? 'stdin' : file);

interface ReadLimits {
  readonly maxBytes?: number;
  readonly check?: CheckFile;
}

/** @throws UsageError for a terminal, for what cannot be read, and for more than the limit of all input */
const readBytes = async (
  { stdin, interrupted }: Pick<Machine, 'stdin' | 'interrupted'>,
  file: string,
  { maxBytes, check }: ReadLimits = {},
): Promise<Buffer> => {
  const { readBoundedStream, streamInput } = await import('../storage/read.ts');
  if (file === '-' && stdin.isTTY)
    throw new UsageError('stdin is a terminal', { hint: 'Pipe the input in, or use a file.' });
  const bytes =
    file === '-' ? readBoundedStream(stdin, interrupted, maxBytes) : streamInput(file, interrupted, check);
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
};

/** All of it as text. @throws as `readBytes`; UsageError for bytes that are no text */
export const readText = async (
  machine: Pick<Machine, 'stdin' | 'interrupted'>,
  file: string,
  limits?: ReadLimits,
): Promise<string> => {
  const { decodeText } = await import('../changes/input/read.ts');
  try {
    return decodeText(await readBytes(machine, file, limits));
  } catch (error) {
    const isNamed = error instanceof UsageError && ['unreadable', 'unsafe_file'].includes(error.code ?? '');
    if (!(error instanceof UsageError) || isNamed) throw error;
    throw new UsageError(`${describeInput(file)}: ${error.message}`, { hint: error.hint, cause: error });
  }
};

/** What `--param`, `--field` and `--input` say. */

const parseInput = (file: string, text: string): unknown => {
  const parsed = parseJson(text, { strict: true });
  if ('value' in parsed) return parsed.value;
  const { line, column, what } = parsed.problem;
  throw new UsageError(`${describeInput(file)} cannot be read as JSON`, {
    reason: `line ${line}, column ${column}: ${what}`,
  });
};

/** Options of raw values, by their keys; `typedField` is that of `api`. */
const LISTS = ['param', 'field', 'typedField'];

/**
 * @param hasWorkspaceFlag whether `--workspace` is given
 * @param read the text of a file, or of stdin for `-`
 * @throws UsageError for what cannot be read, and for what a flag gives too
 */
export const readRawParameters = async (
  invocation: Invocation,
  hasWorkspaceFlag: boolean,
  read: (file: string) => Promise<string>,
): Promise<RawParameters> => {
  const { options } = invocation;
  const file = options.input;
  // `--no-input` is a flag of every command, and no text.
  const hasInput = typeof file === 'string';
  if (!hasInput && LISTS.every((name) => options[name] === undefined))
    return { query: [], fields: {}, input: undefined };
  const { readRawFields, resolveRawClashes } = await import('./raw-fields.ts');
  const raws = {
    ...(await readRawFields(options, read)),
    input: hasInput ? parseInput(file, await read(file)) : undefined,
  };
  return resolveRawClashes(invocation, raws, hasWorkspaceFlag);
};

/** What they add to the values of the table; an input that is no object adds nothing. */
export const toExtra = ({ query, fields, input }: RawParameters): Extra => ({
  query,
  body: fields,
  input: typeof input === 'object' && input !== null ? { ...input } : {},
});

/** The rows of `--from-file`, and the heading that `--template` prints; loaded when they are asked for. */

interface InputFileParts {
  readonly machine: Machine;
  readonly lookUps: NameResolver;
  readonly calendar: Calendar;
  /** @param nameOf how the file calls a parameter @throws UsageError when one is missing */
  readonly complete: (
    values: Readonly<Record<string, unknown>>,
    nameOf: (parameter: string) => string,
  ) => void;
}

export const createInputFile = (invocation: Invocation, parts: InputFileParts): InputFile | undefined => {
  const { fromFile, input, base } = invocation.options;
  if (typeof fromFile !== 'string') {
    if (base !== undefined) throw new UsageError('--base needs --from-file');
    return undefined;
  }
  if (fromFile === '-' && input === '-') {
    throw new UsageError('--from-file and --input cannot both be stdin');
  }
  if (base === '-') throw new UsageError('--base cannot be stdin');
  const name = describeInput(fromFile);
  return {
    name,
    async read(work) {
      const { decodeText, readRows } = await import('../changes/input/read.ts');
      const { readInputFile } = await import('../changes/input/input-file.ts');
      const { createRowSchema } = await import('../commands/row-schema.ts');
      const { createHash } = await import('node:crypto');
      const { machine, lookUps } = parts;
      const hash = createHash('sha256');
      async function* readFile(file: string, isMain = false) {
        const bytes = await readBytes(machine, file);
        if (isMain) hash.update(bytes);
        yield* readRows(file, decodeText(bytes));
      }
      const schema = createRowSchema(invocation, parts.calendar, parts.complete);
      const earlier =
        typeof base === 'string' ? { name: describeInput(base), rows: readFile(base) } : undefined;
      const source = { name, rows: readFile(fromFile, true), schema, lookUps, base: earlier };
      const read = await readInputFile(source, work);
      if (fromFile === '-') return read;
      return { ...read, input: { file: resolve(fromFile), sha256: hash.digest('hex') } };
    },
  };
};

export const createTemplate = async (invocation: Invocation): Promise<string | undefined> => {
  if (invocation.options.template !== true) return undefined;
  const { formatTemplate } = await import('../commands/input-columns.ts');
  return formatTemplate(invocation.command);
};

/** A file in place of its folder: nothing could be found there, nor written. */
const checkFolderOf = (file: string): void => {
  try {
    statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (getErrno(error) !== 'ENOTDIR') return;
    throw new UsageError(`cannot use ${dirname(file)}`, {
      code: 'unreadable',
      reason: 'It is not a folder.',
      hint: 'Name another folder.',
    });
  }
};

/**
 * A folder may come from elsewhere, and a link in it lead anywhere. What leads nowhere holds nothing.
 * @throws UsageError for a link out of its folder
 */
const checkStaysInFolder = async (file: string, verb: 'read' | 'write to'): Promise<void> => {
  let target: string;
  try {
    if (!lstatSync(file).isSymbolicLink()) return;
    target = (await import('../storage/write-named.ts')).followLinks(file);
  } catch {
    return;
  }
  if (target.startsWith(realpathSync(dirname(file)) + sep)) return;
  throw new UsageError(`cannot ${verb} ${file}`, {
    code: 'unreadable',
    reason: 'It is a link out of its folder.',
    hint: 'Put a file in its place.',
  });
};

/** What `--plan` writes over. */
export const PLAN_FILE = { start: '{"ttctl_plan":', noun: 'a plan' } as const;

export const createFileAccess = (
  machine: Machine,
  output: Pick<Context['output'], 'text' | 'warn'>,
): Context['files'] => ({
  async read(file, { own = false } = {}) {
    if (!own) return readText(machine, file);
    const { checkOwnFile } = await import('../storage/own-files.ts');
    const options = { kind: 'named', warn: output.warn } as const;
    // A pipe is read as whoever wrote into it says: the shell that made it, or whom the person trusts.
    const check: CheckFile = (fd, stats) => void (stats.isFile() && checkOwnFile(file, fd, options));
    return readText(machine, file, { check });
  },
  async readSecrets(file) {
    const text = await readText(machine, file);
    for (const line of text.split(/\r?\n/)) machine.redactor.register(line.replace(/^[^:]*:/, '').trim());
    return text;
  },
  async find(file) {
    await checkStaysInFolder(file, 'read');
    if (!existsSync(file)) {
      checkFolderOf(file);
      return undefined;
    }
    const stats = statSync(file);
    // A pipe would be waited for, and never be found again.
    if (!stats.isFile() && !stats.isDirectory())
      throw new UsageError(`cannot read ${file}`, { code: 'unreadable', reason: 'It is not a file.' });
    return readText(machine, file);
  },
  async write(file, text, { folder, replaces } = {}) {
    if (file === '-') return output.text(text);
    const [{ makePrivateDirectory }, { writeNamed }] = await Promise.all([
      import('../storage/folders.ts'),
      import('../storage/write-named.ts'),
    ]);
    if (folder !== undefined) {
      makePrivateDirectory(folder);
      await checkStaysInFolder(file, 'write to');
    }
    if (replaces === 'plan') (await import('../storage/own-files.ts')).checkReplaced(file, PLAN_FILE);
    await writeNamed(file, text, machine);
  },
});
