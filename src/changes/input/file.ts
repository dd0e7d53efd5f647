import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Values } from '../../api/plan.ts';
import type { NamedKind } from '../../api/records.ts';
import { takeTurn } from '../../clock.ts';
import type { CheckedValue, UnresolvedNames } from '../../commands/values.ts';
import { collectProblems, EXIT, UsageError } from '../../errors.ts';
import { MAX_ROWS, shortenText } from '../../parsing/text.ts';
import type { Run } from '../../run.ts';
import type { Write } from '../change.ts';
import { checkAnswerable } from '../confirm.ts';
import { pluralize } from '../report.ts';
import { checkTarget } from '../select.ts';
import { type CheckedRow, type InputCell, RowSchema } from './columns.ts';
import { decodeText, isNameError, nameInput, RowProblems, readBytes } from './files.ts';
import { createTooManyRowsError, type RawRow, readRows } from './rows.ts';

/**
 * The rows of `--from-file`: all are checked, all names in them looked up, each once, and all that is wrong is told
 * together before the first write.
 */

interface ReadRow extends CheckedRow {
  readonly line: number;
  /** Its line in the file, or its number in a JSON array. */
  readonly number: number;
  /** Whether nothing is wrong with it, nor with its headings. */
  readonly isWhole: boolean;
}

export interface InputRow extends ReadRow {
  readonly id: string | undefined;
  /** Whether no record has its name, and that is passed over. */
  readonly missing: boolean;
  /** By the API's names, those of the flags among them. */
  readonly values: Values;
}

export interface InputRows {
  readonly name: string;
  readonly rows: readonly InputRow[];
  /** The file by its whole path, and the SHA-256 of its bytes as hexadecimal digits; absent for stdin. */
  readonly input?: { readonly file: string; readonly sha256: string };
  /** The cells of an earlier export, by what names their records; absent without one. */
  readonly base?: ReadonlyMap<string, readonly InputCell[]>;
}

/**
 * Reads and checks every row before the first request, then looks every name up once.
 * @param skipMissing whether names of nothing are passed over
 * @throws UsageError that tells all that is wrong, with file and line; Failure (exit 5) for names of nothing
 */
export async function readInputFile(run: Run, work: Write, skipMissing: boolean): Promise<InputRows> {
  const { invocation, calendar, extra, output } = run;
  const { base } = invocation.options;
  const file = String(invocation.options.fromFile);
  const name = nameInput(file);
  const schema = new RowSchema(invocation, calendar, extra);
  const problems = new RowProblems(name);
  const read: ReadRow[] = [];
  let others = 0;
  const sha256 = await readSheet(run, file, schema, problems, (row) => {
    const { isOther, isExported, isWhole, checked, target } = row;
    if (isOther) {
      others += 1;
      return;
    }
    const given = resolveRowValues(checked, ({ texts }) => texts);
    if (isWhole && !isExported && target === undefined) work.call('', given).check();
    else if (isWhole && !isExported) checkTarget(work, target ?? '', given);
    read.push(row);
  });
  if (read.length === 0) {
    problems.throwIfAny();
    if (others > 0) throw new UsageError(`${name} has no rows for this command`, { code: 'invalid_input' });
  }
  // Rows that are the same write are counted once, which is not known before their names are.
  const count = work.targets === undefined ? read.length : Math.min(read.length, 1);
  if (problems.count === 0) await checkAnswerable(run, work, count);
  const { ids, missing } = await lookUpAll(run, read, work, skipMissing, problems);
  const idOf = (kind: string, text: string): string => ids.get(`${kind}\n${text}`) ?? text;
  // Two rows about the same record are a mistake, where the command says so.
  const lines = new Map<string, number>();
  const rows = read.map((row): InputRow => {
    const { line, target, checked } = row;
    const id = target === undefined ? undefined : idOf('target', target);
    const values = resolveRowValues(checked, ({ kind, texts }) => texts.map((text) => idOf(kind, text)));
    const own = work.once === true ? work.target?.(values)?.toLowerCase() : undefined;
    const key = work.record === undefined ? own : id;
    const first = key === undefined ? undefined : lines.get(key);
    if (first !== undefined)
      problems.add(line, `${shortenText(target ?? key ?? '')} is already in line ${first}`);
    else if (key !== undefined) lines.set(key, line);
    return { ...row, id, values, missing: target !== undefined && missing.has(target) };
  });
  problems.throwIfAny();
  if (others > 0) output.note(`Skipped ${pluralize(others, ['row', 'rows'])} for other commands.`);
  const input = file === '-' ? {} : { input: { file: resolve(file), sha256 } };
  if (typeof base !== 'string') return { name, rows, ...input };
  const baseProblems = new RowProblems(nameInput(base));
  const cellsByTarget = new Map<string, readonly InputCell[]>();
  await readSheet(run, base, schema, baseProblems, ({ target, cells = [] }) => {
    if (target !== undefined) cellsByTarget.set(target, cells);
  });
  baseProblems.throwIfAny();
  return { name, rows, ...input, base: cellsByTarget };
}

export function resolveRowValues(
  values: readonly CheckedValue[],
  ids: (wanted: UnresolvedNames) => readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    values.map(({ name, known, wanted }) => [
      name,
      wanted === undefined ? known : wanted.toValue(ids(wanted)),
    ]),
  );
}

/**
 * Reads a file and checks each row by itself.
 * @param add gets each row; what it throws is a problem of that row
 * @returns the SHA-256 of the bytes as hexadecimal digits
 * @throws UsageError where the file cannot be read
 */
async function readSheet(
  { machine }: Run,
  file: string,
  schema: RowSchema,
  problems: RowProblems,
  add: (row: ReadRow) => void,
): Promise<string> {
  let bytes: Buffer = Buffer.alloc(0);
  const seen = new Set<object>();
  let count = 0;
  try {
    bytes = await readBytes(machine, file);
    for (const row of readRows(file, decodeText(bytes))) {
      const { line } = row;
      count += 1;
      // A signal need not wait for the last row.
      if (count % 500 === 0) await takeTurn();
      if (count > MAX_ROWS) throw createTooManyRowsError(line);
      if ('problem' in row) problems.add(line, row.problem);
      else checkRow(row, schema, problems, seen, add);
    }
  } catch (error) {
    if (!(error instanceof UsageError) || error.code === 'unreadable') throw error;
    const { line } = error.details;
    const rest = line === undefined ? '' : '; the rest was not read';
    problems.add(typeof line === 'number' ? line : undefined, `${error.message}${rest}`, error.hint);
  }
  return createHash('sha256').update(bytes).digest('hex');
}

/** @param seen layouts whose problems have been told */
function checkRow(
  { line, number, names, cells, heading = line }: RawRow,
  schema: RowSchema,
  problems: RowProblems,
  seen: Set<object>,
  add: (row: ReadRow) => void,
): void {
  const layout = schema.layout(names);
  const wrong = layout.problems;
  if (!seen.has(layout)) for (const { text, hint } of wrong) problems.add(heading, text, hint);
  seen.add(layout);
  const checked = schema.check(names, cells);
  if (!checked.isOther) for (const problem of checked.problems) problems.add(line, problem);
  const isWhole = wrong.length === 0 && checked.problems.length === 0;
  const errors: UsageError[] = [];
  collectProblems(errors, () => add({ ...checked, line, number, isWhole }));
  for (const { message, hint } of errors) problems.add(line, message, hint);
}

/**
 * Looks each name up once, in the order of the rows; what is not among the ids is an id already.
 * @throws what is not about a name: no network, not signed in; but what is wrong with the file comes before it
 */
async function lookUpAll(
  { lookUps }: Run,
  rows: readonly ReadRow[],
  { resolve }: Write,
  skipMissing: boolean,
  problems: RowProblems,
) {
  const names = listNames(rows, resolve !== undefined);
  const among = new Map<string, string[]>(names.map(({ kind }) => [kind, []]));
  for (const { kind, text } of names) among.get(kind)?.push(text);
  const ids = new Map<string, string>();
  const missing = new Set<string>();
  for (const { kind, text, line } of names) {
    const texts = among.get(kind);
    try {
      const id = await (kind === 'target' ? resolve?.(text, texts) : lookUps.find(kind, text, texts));
      if (id !== undefined) ids.set(`${kind}\n${text}`, id);
    } catch (error) {
      if (!isNameError(error)) problems.throwIfAny();
      if (!isNameError(error)) throw error;
      const { message, reason, hint, exit } = error;
      if (kind === 'target' && skipMissing && exit === EXIT.notFound) missing.add(text);
      else problems.add(line, [message, reason].filter(Boolean).join('\n'), hint, exit);
    }
  }
  return { ids, missing };
}

function listNames(rows: readonly ReadRow[], hasTargets: boolean) {
  const names = new Map<string, { kind: NamedKind | 'target'; text: string; line: number }>();
  for (const { line, target, checked } of rows) {
    const own = target === undefined || !hasTargets ? [] : [{ kind: 'target' as const, texts: [target] }];
    for (const { kind, texts } of [...own, ...checked.flatMap(({ wanted }) => wanted ?? [])])
      for (const text of texts)
        if (!names.has(`${kind}\n${text}`)) names.set(`${kind}\n${text}`, { kind, text, line });
  }
  return [...names.values()];
}
