import { type Fields, toTyped } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { leave, timeRequest, timesheet } from '../api/records.ts';
import { RowProblems } from '../changes/input/files.ts';
import { UsageError } from '../errors.ts';
import { isRecord, parseJsonArray } from '../json.ts';
import { findNearest, quoteText } from '../parsing/text.ts';
import { type Condition, compileCondition } from '../query/condition.ts';
import { Undecided, UnknownValue } from '../query/run.ts';
import { getConditionFields, JOIN_NAMES, type JoinName, toJoined } from '../resources/joins.ts';
import type { Names } from '../resources/names.ts';
import { INBOX_KINDS, type InboxItem, type InboxKind } from './item.ts';
import type { PendingItem } from './load.ts';
import { toWarningCodes, WARNING_CODES } from './warnings.ts';

/** Rules that decide on what waits, and what a condition (`inbox --where`, a rule's `when`) sees of it. */

export const RULE_OUTCOMES = ['approve', 'reject', 'hold'] as const;

export interface Rule {
  readonly name: string;
  readonly kind: InboxKind;
  readonly when: Condition;
  readonly outcome: (typeof RULE_OUTCOMES)[number];
  /** What the member reads of a rejection; why the rule holds. */
  readonly reason: string | undefined;
}

export interface RuleDecision {
  readonly outcome: Rule['outcome'];
  /** The rule that decides, or that could not be decided; undefined: none is true. */
  readonly rule: Rule | undefined;
  /** Why it is held, where that is not what the rule says. */
  readonly why: string | undefined;
}

/**
 * The first rule of the kind that is true decides. One that cannot be decided holds the item, and so does none.
 * @throws UsageError for a condition that values of the row have the wrong type for
 */
export function decideByRules(rules: readonly Rule[], kind: InboxKind, row: Row): RuleDecision {
  for (const rule of rules.filter((one) => one.kind === kind)) {
    const result = rule.when.test(row);
    if (result instanceof Undecided) return { outcome: 'hold', rule, why: result.message };
    if (result) return { outcome: rule.outcome, rule, why: undefined };
  }
  return { outcome: 'hold', rule: undefined, why: 'no rule matches' };
}

/** @throws UsageError that tells what is wrong with each of the rules, with its line */
export async function readRules(source: string, text: string): Promise<readonly Rule[]> {
  const parsed = parseJsonArray(text);
  if ('problem' in parsed) {
    const { line, column, what } = parsed.problem;
    const reason = `line ${line}, column ${column}: ${what}`;
    const hint = 'Rules are a JSON array: [{ "name": … }]';
    throw new UsageError(`${source} is not a list of rules`, { code: 'invalid_input', reason, hint });
  }
  const problems = new RowProblems(source);
  const rules = new Map<string, Rule>();
  for (const { value, line } of parsed.elements) {
    try {
      const rule = await readRule(value);
      if (rules.has(rule.name)) throw new UsageError(`another rule is called ${quoteText(rule.name)}`);
      rules.set(rule.name, rule);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.add(line, [error.tell(), error.hint].filter(Boolean).join('. '));
    }
  }
  problems.throwIfAny();
  if (rules.size === 0) throw new UsageError(`${source} has no rules`);
  return [...rules.values()];
}

const KEYS = ['name', 'kind', 'when', 'then', 'reason'] as const;

async function readRule(values: unknown): Promise<Rule> {
  if (!isRecord(values)) throw new UsageError('not an object');
  const choose = <Word extends string>(what: string, value: string, words: readonly Word[]): Word => {
    const word = words.find((one) => one === value);
    if (word !== undefined) return word;
    const near = findNearest(value, words);
    const hint = near === undefined ? `It can be ${words.join(', ')}.` : `Did you mean "${near}"?`;
    throw new UsageError(`${what}${quoteText(value)}`, { hint });
  };
  for (const key of Object.keys(values)) choose('unknown key ', key, KEYS);
  const read = (key: (typeof KEYS)[number]): string => {
    const value = values[key];
    if (value === undefined) throw new UsageError(`has no "${key}"`);
    if (typeof value === 'string' && value.trim() !== '') return value;
    throw new UsageError(`"${key}" must be a non-empty string`);
  };
  const name = read('name');
  const kind = choose('"kind" cannot be ', read('kind'), INBOX_KINDS);
  const outcome = choose('"then" cannot be ', read('then'), RULE_OUTCOMES);
  if (outcome === 'approve' && values.reason !== undefined)
    throw new UsageError('"reason" cannot be used with "then": "approve"');
  const reason = outcome === 'reject' || values.reason !== undefined ? read('reason') : undefined;
  const fields = getConditionFields(SEEN[kind].joins, SEEN[kind].fields, WARNING_CODES);
  const source = { where: '"when"', fields, closed: true } as const;
  return { name, kind, outcome, reason, when: await compileCondition(read('when'), source) };
}

const SEEN: Readonly<Record<InboxKind, { readonly fields: Fields; readonly joins: readonly JoinName[] }>> = {
  timesheet: { fields: timesheet.fields, joins: ['member'] },
  leave: { fields: leave.fields, joins: ['member', 'policy'] },
  'time-request': { fields: timeRequest.fields, joins: ['member', 'project'] },
};

export function getInboxFields(own: Fields): Fields {
  const fields = { ...timesheet.fields, ...leave.fields, ...timeRequest.fields, ...own };
  return getConditionFields(JOIN_NAMES, fields, WARNING_CODES, {});
}

/** @param own the fields beside the joined ones. @returns with what could not be found out as `UnknownValue` */
export function toConditionRow({ item, warnings }: PendingItem, names: Names, own: Row = {}): Row {
  const { fields } = SEEN[item.kind];
  const record = toTyped(fields, item.record);
  const joined = joinItem(item, names, (name) => new UnknownValue(`its ${name} is unknown`));
  return { ...record, ...toTyped(fields, own), ...joined, warnings: toWarningCodes(warnings), record };
}

export function joinItem(
  { kind, userId: member, policyId: policy, projectId: project }: InboxItem,
  names: Names,
  findUnknown: (name: JoinName) => unknown = () => null,
): Row {
  const ids = { member, policy, project };
  const joined = SEEN[kind].joins.map((name) => {
    const record = ids[name] == null ? null : names[name].record(ids[name]);
    return [name, record === undefined ? findUnknown(name) : record && toJoined(name, record)];
  });
  return Object.fromEntries(joined);
}
