import { toWord } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { isNumber, isSameJson, stringifyJson, toText } from '../json.ts';
import { escapeMarkdown } from '../parsing/text.ts';
import { getFields, sortGraveFirst } from './describe-change.ts';
import type { RunHead } from './journal.ts';
import { formatUnset } from './outcomes.ts';
import type { Plan, PlanRow } from './plan.ts';
import { pluralize } from './report.ts';
import { findOperation } from './undo.ts';

/** A plan, for people to judge. Offline: nothing is asked of the service. */

/** What cannot be taken for anything else: no number, nothing that parts fields or values, only what can be seen. */
const PLAIN =
  /^(?!-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$|true$|false$|–$)[\p{L}\p{N}][\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/iu;
const PARTING = /, |: |→| {2}| $/;
const isPlain = (text: string): boolean =>
  PLAIN.test(text) && !PARTING.test(text) && text === text.normalize('NFC');

const quote = (value: unknown): string =>
  stringifyJson(value)
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, (sign) =>
      [...sign].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(''),
    )
    .replace(/ (?= )|→/g, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

/** A value so that no other looks the same: who agrees to a plan agrees to it to the byte. */
const formatExact = (value: unknown): string => {
  if (value === null || value === undefined) return '–';
  if (isNumber(value) || typeof value === 'boolean') return toText(value);
  return typeof value === 'string' && isPlain(value) ? value : quote(value);
};

const formatName = (name: string): string => (/^\w+$/.test(name) ? name : quote(name));

/** All that a request does, the grave first: `role: Regular User → Team manager, hours a week: 40 → 32`. */
export const describePlanRow = (row: PlanRow): string => {
  const { operation, before, after, others, request, isDeletion } = row;
  const fields = getFields(operation);
  const { parameters = {}, path = '' } = findOperation(operation) ?? {};
  const describeField = (field: string): string => {
    const { title = formatName(field), words } = fields[field] ?? {};
    const format = (value: unknown): string =>
      formatExact(words !== undefined && isNumber(value) ? toWord(words, value) : value);
    const value = after?.[field];
    // The word for a number could be sent as it is, too.
    const now = words !== undefined && typeof value === 'string' ? quote(value) : format(value);
    if (before === null || !Object.hasOwn(before, field)) return `${title}: ${now}`;
    if (isSameJson(before[field], value)) return `${title}: ${now} (unchanged)`;
    return `${title}: ${format(before[field])} → ${now}`;
  };
  const describeOther = ([name, value]: [string, unknown]): string => {
    const isRaw = !Object.hasOwn(parameters, name) && !path.includes(`{${name}}`);
    return `${isRaw ? 'raw field ' : ''}${formatName(name)}: ${formatExact(value)}`;
  };
  const texts = [
    ...(isDeletion ? ['will be deleted'] : sortGraveFirst(Object.keys(after ?? {})).map(describeField)),
    ...Object.entries(others).map(describeOther),
  ];
  return texts.length === 0 ? `${request.method} ${request.path}` : texts.join(', ');
};

const countBy = (rows: readonly PlanRow[], key: (row: PlanRow) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  return counts;
};

/** Whether the row changes a record of which it does not say how it was. */
const isUnseen = ({ seen, request, operation }: PlanRow): boolean =>
  seen === null && findOperation(operation)?.path.includes('{') === true && !request.path.includes('new%3A');

export const listPlanWarnings = ({ rows }: Plan): readonly string[] => {
  const count = (number: number): string => pluralize(number, ['change', 'changes']);
  const deleted = rows.filter(({ isDeletion }) => isDeletion).length;
  const unseen = rows.filter(isUnseen).length;
  const reasons = countBy(
    rows.filter(({ operation }) => findOperation(operation)?.undo?.kind === 'none'),
    ({ operation }) => {
      const undo = findOperation(operation)?.undo;
      return undo?.kind === 'none' ? undo.why : '';
    },
  );
  return [
    ...(deleted === 0
      ? []
      : [`${count(deleted)} permanently ${deleted === 1 ? 'deletes a record' : 'delete records'}.`]),
    ...(unseen === 0
      ? []
      : [`${count(unseen)} cannot be checked: the old values of the records were not recorded.`]),
    ...rows.flatMap(({ target, unset }) =>
      unset === undefined ? [] : [`${target}: ${formatUnset(unset)}.`],
    ),
    ...[...reasons].map(([why, number]) => `${count(number)} cannot be undone: ${why}.`),
  ];
};

/** `12 timesheets.approve, 2 timesheets.reject` */
export const formatOperationCounts = ({ rows }: Plan): string =>
  [...countBy(rows, ({ operation }) => operation)].map(([id, number]) => `${number} ${id}`).join(', ');

const listPlanFacts = ({ head, rows }: Plan): readonly (readonly [name: string, text: string])[] => {
  const { command, created_at, account, base_url, workspace_id }: RunHead = head;
  const facts: [string, string][] = [
    ['command', command],
    ['made', account === null ? created_at : `${created_at} by ${account}`],
    ['service', base_url],
    ['workspace', `${workspace_id ?? 'none'}`],
  ];
  if (rows.length > 0) facts.push(['changes', formatOperationCounts({ head, rows })]);
  if (rows.some(({ label, seen }) => label !== null || seen !== null))
    facts.push(['recorded', 'record names and old values: plan check compares them with the service']);
  return facts;
};

export const formatPlanFacts = (plan: Plan): string =>
  listPlanFacts(plan)
    .map(([name, text]) => `${name.padEnd(9)}  ${text}`)
    .join('\n');

const toMarkdown = (text: string): string => escapeMarkdown(text.replace(/\s+/g, ' '));

export const formatMarkdownHead = (plan: Plan): string => {
  const warnings = listPlanWarnings(plan).map((text) => `> **Warning:** ${toMarkdown(text)}\n>`);
  return [
    `### Plan: ${pluralize(plan.rows.length, ['change', 'changes'])}`,
    '',
    ...(warnings.length === 0 ? [] : [...warnings.join('\n').split('\n').slice(0, -1), '']),
    ...listPlanFacts(plan).map(([name, text]) => `- ${name}: ${toMarkdown(text)}`),
  ].join('\n');
};

export const PLAN_FIELDS = [
  ...['n', 'operation', 'target', 'label', 'before', 'after', 'request', 'seen', 'message'],
] as const;

export const toPlanRecord = (planned: PlanRow): Row => {
  const { n, operation, target, label, before, after, request, seen, unset } = planned;
  const message = unset === undefined ? null : formatUnset(unset);
  return { n, operation, target, label, before, after, request, seen, message };
};
