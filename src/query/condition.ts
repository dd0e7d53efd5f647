import { type Field, type Fields, toTypedValue } from '../api/fields.ts';
import { UsageError } from '../errors.ts';
import { isSameValue } from '../parsing/names.ts';
import { findNearest, shortenText } from '../parsing/text.ts';
import { getQueryType } from './functions.ts';
import {
  createRefusal,
  Evaluation,
  getPath,
  listChildren,
  mapChildren,
  parseExpression,
  type QueryNode,
  Undecided,
  UnorderedTypes,
} from './run.ts';

/**
 * A JMESPath expression that is true or false of a record (`--where`, rules). JMESPath goes on with `null` where data
 * are missing, so that `null < 50` or `!(null > 60)` is true; here missing data never choose: the whole is undecided.
 */

export interface Condition {
  readonly text: string;
  /** Fields of the record that it reads, up to two levels: `total_hours`, `member.email`. */
  readonly names: ReadonlySet<string>;
  /** @throws UsageError for values of types that the expression cannot take */
  test(row: object): boolean | Undecided;
}

/** Nodes whose first part alone reads the record itself; what follows reads what it gives. */
const STEPS = /^(Subexpression|IndexExpression|Pipe|(Value|Filter)?Projection)$/;

function collectNames(node: QueryNode): readonly string[] {
  const path = getPath(node);
  if (path === '') return [];
  if (path !== undefined) return [path.split('.').slice(0, 2).join('.')];
  if (node.type === 'ExpressionReference') return [];
  const children = listChildren(node).slice(0, STEPS.test(node.type) ? 1 : undefined);
  return children.flatMap(collectNames);
}

function sampleRecord(fields: Fields): object {
  const samples: Record<string, unknown> = {};
  for (const [name, { type, fields: inner = {}, items }] of Object.entries(fields)) {
    if (type === 'object') samples[name] = sampleRecord(inner);
    else if (type === 'array') samples[name] = items ? Object.values(sampleRecord({ items })) : [];
    else samples[name] = type === 'string' ? '' : type === 'boolean' ? true : 1;
  }
  return samples;
}

interface ConditionSource {
  readonly where: string;
  readonly fields: Fields;
  /** No record has anything else: another name is a mistake. */
  readonly closed?: true;
}

/** What stands in double quotes is a name. @param name of a field that no record has, up to its first `.` */
export function hintQuotes(text: string, name: string): string | undefined {
  const quoted = [...text.matchAll(/"([^"]+)"/g)].find(([, inside]) => inside?.split('.')[0] === name)?.[1];
  return quoted && `Text goes in single quotes: '${quoted.replaceAll("'", "\\'")}'`;
}

/**
 * @param before what stands before the words: `member.`
 * @throws UsageError for a word that is none of those known
 */
function checkKnown(what: string, word: string, known: readonly string[], before = '', hint?: string): void {
  if (known.length === 0 || known.includes(word)) return;
  const near = findNearest(word, known);
  throw new UsageError(`${what} "${word}"`, {
    code: 'unknown_field',
    hint:
      hint ?? (near ? `Did you mean ${before}${near}?` : `It can be ${before}${known.join(`, ${before}`)}.`),
  });
}

/** A literal as the field has it; a word that it never has would choose all that is to be kept out. @throws UsageError */
function foldLiteral(value: unknown, field: Field, where: string): unknown {
  if (Array.isArray(value)) return value.map((item) => foldLiteral(item, field, where));
  const { values, shown = {} } = field;
  const isWord = (one: string | undefined) =>
    one !== undefined && isSameValue(value, one, { choices: values });
  const word = values?.find((one) => isWord(one) || isWord(shown[one]));
  if (word === undefined && typeof value === 'string')
    checkKnown(`${where}: there is no`, value, values ?? []);
  return word ?? toTypedValue(field, value);
}

function findOperand(node: QueryNode, { fields }: ConditionSource): Field | undefined {
  const paths = listChildren(node).map(getPath);
  const path = paths.find((one) => one !== undefined);
  const field = findField(path, fields);
  if (node.type === 'Comparator') return ['EQ', 'NE'].includes(String(node.name)) ? field : undefined;
  if (paths[0] === undefined) return field;
  // A part of a text is none of its words.
  return field?.items ?? (field && { type: field.type, ...(field.kind && { kind: field.kind }) });
}

/** A record equals no text: `!=` would choose just what it is to keep out. @throws UsageError */
function checkRecords(text: string, node: QueryNode, { where, fields }: ConditionSource): void {
  const operands = listChildren(node);
  for (const [at, operand] of operands.entries()) {
    const path = getPath(operand) ?? '';
    const names = Object.keys(fields[path]?.fields ?? {});
    const other = operands[1 - at];
    if (names.length === 0 || other === undefined || !isPlain(other, fields)) continue;
    const meant =
      typeof other.value === 'number' ? 'id' : String(other.value).includes('@') ? 'email' : 'name';
    const name = `${path}.${names.includes(meant) ? meant : names[0]}`;
    const [before, after, ...more] = text.split(new RegExp(`\\b${path}\\b`));
    throw new UsageError(`${where}: ${path} is a record: compare ${name}`, {
      code: 'bad_condition',
      hint: more.length > 0 ? undefined : `Write: ${before}${name}${after}`,
    });
  }
}

/** Whether it is known to be no record, and not null. */
function isPlain(node: QueryNode, fields: Fields): boolean {
  if (node.type === 'MultiSelectList') return listChildren(node).some((one) => isPlain(one, fields));
  if (node.type === 'Literal') return node.value !== null;
  return (findField(getPath(node), fields)?.type ?? 'object') !== 'object';
}

function findField(path: string | undefined, fields: Fields): Field | undefined {
  const [head = '', inner] = path?.split('.') ?? [];
  return inner === undefined ? fields[head] : fields[head]?.fields?.[inner];
}

function foldLiterals(text: string, node: QueryNode, source: ConditionSource, beside?: Field): QueryNode {
  if (node.type === 'Literal')
    return beside === undefined ? node : { ...node, value: foldLiteral(node.value, beside, source.where) };
  const isChoice = node.type === 'Comparator' || (node.type === 'Function' && node.name === 'contains');
  if (isChoice) checkRecords(text, node, source);
  const inner = isChoice ? findOperand(node, source) : node.type === 'MultiSelectList' ? beside : undefined;
  return mapChildren(node, (child) => foldLiterals(text, child, source, inner));
}

/**
 * Parses a condition, and tries it on a record of the documented types.
 * @throws UsageError for what is not JMESPath, or cannot be true or false of such a record
 */
export async function compileCondition(text: string, source: ConditionSource): Promise<Condition> {
  const { where, fields, closed } = source;
  const fail = createRefusal(
    `${where}: the expression cannot be used: ${shortenText(text)}`,
    'bad_condition',
    "Put numbers in backquotes and text in single quotes: total_hours > `40` && member.role == 'Regular User'",
  );
  const parsed = await parseExpression(text).catch(fail);
  const names = new Set(collectNames(parsed));
  // Without backquotes they are fields; one that no record has is null, which is what `null` is meant to be.
  names.delete('null');
  if (names.has('true') || names.has('false')) fail(new Error('write true and false in backquotes: `true`'));
  for (const name of names) {
    const [head = '', inner] = name.split('.');
    if (closed) checkKnown(`${where}: no record has`, head, Object.keys(fields), '', hintQuotes(text, head));
    const known = Object.keys(fields[head]?.fields ?? {});
    if (inner !== undefined) checkKnown(`${where}: ${head} has no`, inner, known, `${head}.`);
  }
  const evaluate = createEvaluator(foldLiterals(text, parsed, source), fail);
  const run = (row: object): boolean | Undecided => {
    const value = evaluate(row) ?? false;
    if (typeof value === 'boolean' || value instanceof Undecided) return value;
    return fail(new Error(`the result is of type ${getQueryType(value)}, not true or false`));
  };
  const sample = run(sampleRecord(fields));
  if (sample instanceof UnorderedTypes) fail(sample);
  return { text, names, test: run };
}

function createEvaluator(tree: QueryNode, fail: (error: unknown) => never) {
  return (row: object): unknown => {
    try {
      return new Evaluation(row, 10_000, true).run(tree, row);
    } catch (error) {
      return error instanceof Undecided ? error : fail(error);
    }
  };
}

/** A column that is worked out: `overtime=total_hours - member.weekly_hours_limit` of `--columns`. */
export interface ColumnExpression {
  readonly name: string;
  /** As of a condition. */
  readonly names: readonly string[];
  /** @throws UsageError for values of types that the expression cannot take */
  evaluate(row: object): unknown;
}

/** @throws UsageError for what is not JMESPath */
export async function compileColumn(name: string, text: string): Promise<ColumnExpression> {
  const hint = "Write it as a name and an expression: --columns 'member.name,left=`40` - total_hours'";
  const message = `--columns: ${name} cannot be worked out: ${shortenText(text)}`;
  const fail = createRefusal(message, 'bad_query', hint);
  const tree = await parseExpression(text).catch(fail);
  return { name, names: [...new Set(collectNames(tree))], evaluate: createEvaluator(tree, fail) };
}

const MAX_REASONS = 3;

/** What is left out because a condition could not be decided. @param flag `--where` @param reasons perhaps with doubles */
export function describeUndecided(flag: string, count: number, reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)].slice(0, MAX_REASONS).join('; ');
  return `${flag} left out ${count === 1 ? '1 row' : `${count} rows`} that it could not evaluate: ${distinct}`;
}
