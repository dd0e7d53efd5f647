import { readArray } from '../../changes/input/json.ts';
import type { RawRow } from '../../changes/input/row.ts';
import { createRowProblems, type RowProblems } from '../../changes/input/row-problems.ts';
import type { Context } from '../../context.ts';
import { Failure, UsageError } from '../../outcome.ts';
import { findNearest } from '../../parsing/names.ts';
import { getKindFields } from '../../pending/condition-row.ts';
import { INBOX_KINDS, type InboxKind } from '../../pending/item.ts';
import { RULE_OUTCOMES, type Rule, type RuleOutcome } from '../../pending/rules.ts';
import { compileCondition } from '../../query/condition.ts';

/** Reads a file of rules: a JSON array, checked whole before anything is asked of the service. */

const KEYS = ['name', 'kind', 'when', 'then', 'reason'] as const;
type Key = (typeof KEYS)[number];

interface RawRule {
  readonly line: number;
  readonly values: ReadonlyMap<string, unknown>;
}

const suggest = (word: string, words: readonly string[]): string => {
  const near = findNearest(word, words);
  return near === undefined ? `It can be ${words.join(', ')}.` : `Did you mean "${near}"?`;
};

/** The text of a key. @throws UsageError */
const readText = ({ values }: RawRule, key: Key): string => {
  const value = values.get(key);
  if (value === undefined) throw new UsageError(`has no "${key}"`);
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`"${key}" is not a text`);
  return value;
};

const readChoice = <Word extends string>(rule: RawRule, key: Key, words: readonly Word[]): Word => {
  const value = readText(rule, key);
  const word = words.find((one) => one === value);
  if (word === undefined)
    throw new UsageError(`"${key}" cannot be "${value}"`, { hint: suggest(value, words) });
  return word;
};

const readReason = (rule: RawRule, then: RuleOutcome): string | undefined => {
  if (then === 'reject') return readText(rule, 'reason');
  if (!rule.values.has('reason')) return undefined;
  if (then === 'approve') throw new UsageError('an approval has no "reason"');
  return readText(rule, 'reason');
};

const checkKeys = ({ values }: RawRule): void => {
  const unknown = [...values.keys()].find((key) => !(KEYS as readonly string[]).includes(key));
  if (unknown !== undefined)
    throw new UsageError(`has no use for "${unknown}"`, { hint: suggest(unknown, KEYS) });
};

const readRule = async (raw: RawRule): Promise<Rule> => {
  checkKeys(raw);
  const [name, then] = [readText(raw, 'name'), readChoice(raw, 'then', RULE_OUTCOMES)];
  const kind: InboxKind = readChoice(raw, 'kind', INBOX_KINDS);
  const reason = readReason(raw, then);
  const where = `"when" of "${name}"`;
  const when = await compileCondition(readText(raw, 'when'), { where, fields: getKindFields(kind) }).catch(
    (error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError([error.message, error.reason].filter(Boolean).join(': '), { hint: error.hint });
    },
  );
  return { name, kind, when, outcome: then, reason };
};

async function* textOf(text: string): AsyncGenerator<string> {
  yield text;
}

const toRawRule = ({ line, names, cells }: RawRow): RawRule => ({
  line,
  values: new Map(names.map((name, i) => [name, cells[i]])),
});

/** Adds what is wrong with a rule to the others. */
const attempt = async <T>(problems: RowProblems, line: number, work: () => Promise<T>) => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    problems.add(line, error.message, error.hint, error.exit);
    return undefined;
  }
};

/** @throws UsageError that tells all that is wrong with the rules, each with its line */
export const readRules = async (context: Context, file: string): Promise<readonly Rule[]> => {
  const problems = createRowProblems(file === '-' ? 'stdin' : file);
  const rules = new Map<string, Rule>();
  const text = await context.files.read(file);
  if (!text.trimStart().startsWith('['))
    throw new UsageError(`${file} is not a list of rules`, {
      hint: 'Rules are a JSON array: [{ "name": … }]',
    });
  for await (const row of readArray(textOf(text))) {
    if ('problem' in row) {
      problems.add(row.line, row.problem);
      continue;
    }
    const rule = await attempt(problems, row.line, () => readRule(toRawRule(row)));
    if (rule === undefined) continue;
    if (rules.has(rule.name)) problems.add(row.line, `another rule is called "${rule.name}"`);
    rules.set(rule.name, rule);
  }
  problems.throwIfAny();
  if (rules.size === 0) throw new UsageError(`${file} has no rules`);
  return [...rules.values()];
};
