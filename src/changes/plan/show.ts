import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { escapeMarkdown } from '../../parsing/markdown.ts';
import { describeEffect } from '../describe-change.ts';
import { findOperation } from '../history/undo.ts';
import { pluralize } from '../run-summary.ts';
import { type Plan, type PlanHead, type PlanRow, parsePlan } from './plan-file.ts';

/** A plan, for people to judge. Offline: nothing is asked of the service. */

/** @param file path, or `-` for stdin @throws as `parsePlan` */
export const readPlan = async ({ files }: Pick<Context, 'files'>, file: string): Promise<Plan> =>
  parsePlan(await files.read(file), file === '-' ? 'stdin' : file);

/** `hours a week: 40 → 32`; what is not known beforehand is not told. */
export const describePlanRow = (
  { output }: Pick<Context, 'output'>,
  { operation, before, after, request }: PlanRow,
): Promise<string> => {
  const known = { ...(before === null ? {} : { before }), after: after ?? (before === null ? {} : null) };
  // Nothing is known of its record: who reads on has the request.
  if (before === null && after === null) return Promise.resolve(`${request.method} ${request.path}`);
  return describeEffect(output, { operation, ...known });
};

const countBy = (rows: readonly PlanRow[], key: (row: PlanRow) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
  return counts;
};

/** What whoever agrees has to heed, the worst first. */
export const listPlanWarnings = ({ rows }: Plan): readonly string[] => {
  const count = (matching: readonly PlanRow[]): string => pluralize(matching.length, ['change', 'changes']);
  const deleted = rows.filter(({ operation }) => operation.endsWith('.delete'));
  const unread = rows.filter(({ message, unset }) => message !== undefined && unset === undefined);
  const partly = rows.filter(({ unset }) => unset !== undefined);
  const reasons = countBy(
    rows.filter(({ operation }) => findOperation(operation)?.undo?.kind === 'none'),
    ({ operation }) => {
      const undo = findOperation(operation)?.undo;
      return undo?.kind === 'none' ? undo.why : '';
    },
  );
  return [
    ...(deleted.length === 0
      ? []
      : [
          `${count(deleted)} ${deleted.length === 1 ? 'permanently deletes a record' : 'permanently delete records'}.`,
        ]),
    ...(unread.length === 0
      ? []
      : [
          `${count(unread)} could not be checked: the records could not be read, so their old values are unknown.`,
        ]),
    ...partly.map(({ target, message }) => `${target}: ${message}.`),
    ...[...reasons].map(
      ([why, number]) => `${pluralize(number, ['change', 'changes'])} cannot be undone: ${why}.`,
    ),
  ];
};

/** `12 timesheets.approve, 2 timesheets.reject` */
export const formatOperationCounts = ({ rows }: Plan): string =>
  [...countBy(rows, ({ operation }) => operation)].map(([id, number]) => `${number} ${id}`).join(', ');

/** Where a plan leads, and who made it. */
const listPlanFacts = ({ command, created_at, account, base_url, workspace_id }: PlanHead) =>
  [
    ['command', command],
    ['made', account === null ? created_at : `${created_at} by ${account}`],
    ['service', base_url],
    ['workspace', `${workspace_id ?? 'none'}`],
  ] as const;

/** The same as lines above a table. */
export const formatPlanFacts = (plan: Plan): string =>
  [...listPlanFacts(plan.head), ...(plan.rows.length === 0 ? [] : [['changes', formatOperationCounts(plan)]])]
    .map(([name = '', text]) => `${name.padEnd(9)}  ${text}`)
    .join('\n');

const toMarkdown = (text: string): string => escapeMarkdown(text.replace(/\s+/g, ' '));

/** What stands above the table in a pull request. */
export const formatMarkdownHead = (plan: Plan): string => {
  const { head, rows } = plan;
  const warnings = listPlanWarnings(plan).map((text) => `> **Warning:** ${toMarkdown(text)}\n>`);
  return [
    `### Plan: ${pluralize(rows.length, ['change', 'changes'])}`,
    '',
    ...(warnings.length === 0 ? [] : [...warnings.join('\n').split('\n').slice(0, -1), '']),
    ...listPlanFacts(head).map(([name, text]) => `- ${name}: ${toMarkdown(text)}`),
    ...(rows.length === 0 ? [] : [`- changes: ${toMarkdown(formatOperationCounts(plan))}`]),
  ].join('\n');
};

export const PLAN_FIELDS = [
  'n',
  'operation',
  'target',
  'label',
  'before',
  'after',
  'request',
  'seen',
  'message',
] as const;

/** A row as JSON has it. */
export const toPlanRecord = (row: PlanRow): Row => ({ ...row, message: row.message ?? null });
