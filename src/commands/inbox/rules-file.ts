import { readArray } from '../../changes/input/read.ts';
import type { RawRow } from '../../changes/input/row.ts';
import { createRowProblems, type RowProblems } from '../../changes/input/row-problems.ts';
import type { Context } from '../../context.ts';
import { quoteText, UsageError } from '../../outcome.ts';
import { findNearest } from '../../parsing/names.ts';
import { getKindFields } from '../../pending/condition-row.ts';
import { INBOX_KINDS } from '../../pending/item.ts';
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
  if (typeof value !== 'string' || value.trim() === '')
    throw new UsageError(`"${key}" must be a non-empty string`);
  return value;
};

const readChoice = <Word extends string>(rule: RawRule, key: Key, words: readonly Word[]): Word => {
  const value = readText(rule, key);
  const word = words.find((one) => one === value);
  if (word === undefined)
    throw new UsageError(`"${key}" cannot be ${quoteText(value)}`, { hint: suggest(value, words) });
  return word;
};

const readReason = (rule: RawRule, then: RuleOutcome): string | undefined => {
  if (then === 'reject') return readText(rule, 'reason');
  if (!rule.values.has('reason')) return undefined;
  if (then === 'approve') throw new UsageError('"reason" cannot be used with "then": "approve"');
  return readText(rule, 'reason');
};

const checkKeys = ({ values }: RawRule): void => {
  const unknown = [...values.keys()].find((key) => !(KEYS as readonly string[]).includes(key));
  if (unknown !== undefined)
    throw new UsageError(`unknown key ${quoteText(unknown)}`, { hint: suggest(unknown, KEYS) });
};

/** Adds what a check finds wrong to the others, with its own way out. */
const createAttempt =
  (problems: RowProblems, line: number | undefined) =>
  async <T>(check: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message, reason, hint } = error;
      const told = [[message, reason].filter(Boolean).join(': '), hint].filter(Boolean).join('. ');
      problems.add(line ?? (error.details?.line as number | undefined), told);
      return undefined;
    }
  };

/** @returns undefined where something is wrong, which is among the problems then */
const readRule = async (raw: RawRule, problems: RowProblems): Promise<Rule | undefined> => {
  const attempt = createAttempt(problems, raw.line);
  const before = problems.count;
  await attempt(() => checkKeys(raw));
  const name = await attempt(() => readText(raw, 'name'));
  const kind = await attempt(() => readChoice(raw, 'kind', INBOX_KINDS));
  const outcome = await attempt(() => readChoice(raw, 'then', RULE_OUTCOMES));
  const reason = outcome && (await attempt(() => readReason(raw, outcome)));
  const text = await attempt(() => readText(raw, 'when'));
  const when =
    kind &&
    text &&
    (await attempt(() =>
      compileCondition(text, { where: '"when"', fields: getKindFields(kind), closed: true }),
    ));
  if (problems.count > before || !name || !kind || !outcome || !when) return undefined;
  return { name, kind, when, outcome, reason };
};

const toRawRule = ({ line, names, cells }: RawRow): RawRule => ({
  line,
  values: new Map(names.map((name, i) => [name, cells[i]])),
});

/** @throws UsageError that tells all that is wrong with the rules, each with its line */
export const readRules = async (context: Context, file: string): Promise<readonly Rule[]> => {
  const source = file === '-' ? 'stdin' : file;
  const problems = createRowProblems(source);
  const rules = new Map<string, Rule>();
  const text = await context.files.read(file);
  if (!/^\s*\[/.test(text))
    throw new UsageError(`${source} is not a list of rules`, {
      hint: 'Rules are a JSON array: [{ "name": … }]',
    });
  await createAttempt(
    problems,
    undefined,
  )(async () => {
    for (const row of readArray(text)) {
      if ('problem' in row) {
        problems.add(row.line, row.problem);
        continue;
      }
      const rule = await readRule(toRawRule(row), problems);
      if (rule === undefined) continue;
      if (rules.has(rule.name)) problems.add(row.line, `another rule is called ${quoteText(rule.name)}`);
      rules.set(rule.name, rule);
    }
  });
  problems.throwIfAny();
  if (rules.size === 0) throw new UsageError(`${source} has no rules`);
  return [...rules.values()];
};
