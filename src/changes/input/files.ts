import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { ApiError, EXIT, Failure, UsageError } from '../../errors.ts';
import type { Machine } from '../../platform/machine.ts';
import type { Run } from '../../run.ts';
import {
  type CheckFile,
  followLinks,
  readBoundedStream,
  replaceNamed,
  streamInput,
} from '../../storage/named.ts';
import { checkOwnFile, checkReplaced } from '../../storage/own-files.ts';
import { getErrno, makePrivateDirectory } from '../../storage/write.ts';

/** Files that the command line names, and stdin for `-`: read as text, or written. */

type Input = Pick<Machine, 'stdin' | 'interrupted'>;

interface ReadLimits {
  /** Of stdin. Default: the limit of all input. */
  readonly maxBytes?: number;
  readonly check?: CheckFile;
}

/** @throws as `readBytes`; UsageError for bytes that are no text */
export async function readText(machine: Input, file: string, limits?: ReadLimits): Promise<string> {
  try {
    return decodeText(await readBytes(machine, file, limits));
  } catch (error) {
    const isNamed = error instanceof UsageError && ['unreadable', 'unsafe_file'].includes(error.code ?? '');
    if (!(error instanceof UsageError) || isNamed) throw error;
    throw new UsageError(`${nameInput(file)}: ${error.message}`, { hint: error.hint, cause: error });
  }
}

/** @throws UsageError for a terminal, for what cannot be read, and for more than the limit of all input */
export async function readBytes(machine: Input, file: string, limits: ReadLimits = {}): Promise<Buffer> {
  const { stdin, interrupted } = machine;
  if (file === '-' && stdin.isTTY)
    throw new UsageError('stdin is a terminal', { hint: 'Pipe the input in, or use a file.' });
  const parts: Uint8Array[] = [];
  const bytes =
    file === '-'
      ? readBoundedStream(stdin, interrupted, limits.maxBytes)
      : streamInput(file, interrupted, limits.check);
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}

/** The file's text, where nobody else owns or may write it. @throws UsageError; as `readText` */
export function readOwnText({ machine, output }: Pick<Run, 'machine' | 'output'>, file: string) {
  return readText(machine, file, {
    check: (fd, stats) => {
      // A pipe is read as whoever wrote into it says: the shell that made it, or whom the person trusts.
      if (stats.isFile()) checkOwnFile(file, fd, { kind: 'named', warn: output.warn });
    },
  });
}

/** Lines `name: value`, whose values are masked from now on wherever they appear. @throws as `readText` */
export async function readSecrets(machine: Input & Pick<Machine, 'redactor'>, file: string): Promise<string> {
  const text = await readText(machine, file);
  for (const line of text.split(/\r?\n/)) machine.redactor.register(line.replace(/^[^:]*:/, '').trim());
  return text;
}

/** The text of a file in a folder; undefined where there is none. @throws UsageError for what is no file of its own */
export async function findText(machine: Input, file: string): Promise<string | undefined> {
  checkStaysInFolder(file, 'read');
  let stats: Stats | undefined;
  try {
    stats = statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    // A file in place of its folder: nothing could be found there, nor written.
    if (getErrno(error) === 'ENOTDIR')
      throw new UsageError(`cannot use ${dirname(file)}`, {
        code: 'unreadable',
        reason: 'It is not a folder.',
        hint: 'Name another folder.',
      });
  }
  if (stats === undefined) return undefined;
  // A pipe would be waited for, and never be found again.
  if (!stats.isFile() && !stats.isDirectory())
    throw new UsageError(`cannot read ${file}`, { code: 'unreadable', reason: 'It is not a file.' });
  return readText(machine, file);
}

/** What `--plan` writes over. */
export const PLAN_FILE = { start: '{"ttctl_plan":', noun: 'a plan' } as const;

/**
 * Writes a file that nobody else can read.
 * @param file path, or `-` for stdout
 * @param options `folder` is made for it, if missing; `replaces`: all that it may be written over
 * @throws Failure (exit 1), UsageError for what is not written over
 */
export async function writeText(
  { output }: Pick<Run, 'output'>,
  file: string,
  text: string,
  { folder, replaces }: { readonly folder?: string; readonly replaces?: 'plan' } = {},
): Promise<void> {
  if (file === '-') return output.text(text);
  if (folder !== undefined) {
    makePrivateDirectory(folder);
    checkStaysInFolder(file, 'write to');
  }
  if (replaces === 'plan') checkReplaced(file, PLAN_FILE);
  replaceNamed(file, text);
}

export function nameInput(file: string): string {
  return file === '-' ? 'stdin' : file;
}

/** What Excel and others save workbooks as: a zip file; of old, an OLE container. */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];

/** UTF-8, or UTF-16 where the byte order mark says so; the mark is taken off. @throws UsageError for what is no text */
export function decodeText(bytes: Uint8Array): string {
  if (WORKBOOKS.includes(Buffer.from(bytes.subarray(0, 4)).toString('hex')))
    throw new UsageError('it is a spreadsheet file, not text', {
      hint: 'Save the sheet as CSV ("CSV UTF-8" in Excel) and use that file.',
    });
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    // As UTF-16 without a byte order mark is read.
    if (!text.slice(0, 2).includes('\0')) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new UsageError('it is not UTF-8 text', {
    hint: 'Save it as "CSV UTF-8", or convert it: iconv -f latin1 -t utf-8 (or -f utf-16le)',
  });
}

/**
 * A folder may come from elsewhere, and a link in it lead anywhere. What leads nowhere holds nothing.
 * @throws UsageError for a link out of its folder
 */
function checkStaysInFolder(file: string, verb: 'read' | 'write to'): void {
  let target: string;
  try {
    if (!lstatSync(file).isSymbolicLink()) return;
    target = followLinks(file);
  } catch {
    return;
  }
  if (target.startsWith(realpathSync(dirname(file)) + sep)) return;
  throw new UsageError(`cannot ${verb} ${file}`, {
    code: 'unreadable',
    reason: 'It is a link out of its folder.',
    hint: 'Put a file in its place.',
  });
}

/** All that is wrong with the rows of a file, or with targets, told together. */

export interface RowProblems {
  readonly count: number;
  /** @param exit what it would be alone, where that is not wrong usage */
  add(line: number | undefined, what: string, hint?: string, exit?: Failure['exit']): void;
  /** The same for another file of several that are told together. */
  in(place: string): RowProblems;
  /** @throws UsageError; Failure (exit 5) where every fault is a name that nothing has */
  throwIfAny(): void;
}

/** Problems that are listed; the rest is counted. */
const MAX_LISTED = 1000;

/** @param file as messages name it: `people.csv`, `stdin`; undefined for the words of the command line */
export function createRowProblems(file: string | undefined): RowProblems {
  const kept: string[] = [];
  const exits = new Set<Failure['exit']>();
  let count = 0;
  let hint: string | undefined;
  const createFor = (place: string | undefined): RowProblems => ({
    get count() {
      return count;
    },
    add(line, what, more, exit = EXIT.usage) {
      count += 1;
      exits.add(exit);
      hint ??= more;
      const where = place === undefined ? '' : `${place}:${line === undefined ? '' : `${line}:`} `;
      if (kept.length < MAX_LISTED) kept.push(`${where}${what}`);
    },
    in: createFor,
    throwIfAny() {
      if (count === 0) return;
      const message = `${file ?? 'the command line'} has ${count} mistake${count === 1 ? '' : 's'}; nothing was sent`;
      const details = { errors: kept, ...(count > MAX_LISTED ? { error_count: count } : {}) };
      if (exits.size === 1 && exits.has(EXIT.notFound)) {
        throw new Failure(message, { code: 'not_found', exit: EXIT.notFound, details, hint });
      }
      throw new UsageError(message, { code: 'invalid_input', details, hint });
    },
  });
  return createFor(file);
}

const NAME_ERROR_CODES: ReadonlySet<string> = new Set(['not_found', 'ambiguous', 'not_an_address']);

/** Whether it is a name that is wrong, and not the service, or the run. */
export function isNameError(error: unknown): error is Failure {
  return error instanceof Failure && !(error instanceof ApiError) && NAME_ERROR_CODES.has(error.code);
}
