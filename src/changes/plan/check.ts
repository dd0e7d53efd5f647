import type { ApiCall } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { UsageError } from '../../outcome.ts';
import { createLook } from '../effect.ts';
import { readDestination } from '../job/destination.ts';
import { findMoved } from '../moved.ts';
import { NOT_FOUND } from '../send-result.ts';
import { type Plan, type PlanHead, type PlanRow, toPlannedCall } from './plan-file.ts';

/** Whether the records of a plan are still as they were when it was made. */

/** @throws UsageError where the plan is for another service or workspace */
export const checkPlanDestination = async (
  context: Context,
  { base_url, workspace_id }: PlanHead,
): Promise<void> => {
  const { origin, workspace_id: current } = await readDestination(context);
  const createMismatch = (what: string, was: unknown, is: unknown) =>
    new UsageError(`the plan is for another ${what}`, {
      code: 'other_place',
      reason: `It was made for ${what} ${was}; this is ${what} ${is ?? 'none'}.`,
      hint: 'Nothing was sent. Choose the profile and the workspace that it was made for: --profile, --workspace.',
    });
  if (origin !== base_url) throw createMismatch('service', base_url, origin);
  if (toText(current) !== toText(workspace_id)) throw createMismatch('workspace', workspace_id, current);
};

/** Each with the line of the file in errors. @throws UsageError for requests that this version would not send */
export const toPlannedCalls = ({ api }: Context, { head, rows }: Plan, file: string): readonly ApiCall[] =>
  rows.map((row, index) => toPlannedCall(api, head, row, `${file}:${index + 2}`));

/** A row whose record is not, or not surely, as it was seen. */
export interface MovedRow {
  readonly row: PlanRow;
  /** `unread`: nobody can tell. */
  readonly status: 'moved' | 'gone' | 'unread';
  /** The fields that moved, as they are now. */
  readonly now: Row;
  /** Why it could not be read. */
  readonly message: string | null;
}

/** @param calls of the rows, in their order */
export const findMovedRows = async (
  context: Context,
  { rows }: Plan,
  calls: readonly ApiCall[],
): Promise<readonly MovedRow[]> => {
  const look = await createLook(context, calls);
  const moved: MovedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const call = calls[index];
    if (row.seen === null || call === undefined) continue;
    const { record, problem, ...observation } = (await look(call)) ?? {};
    if (problem === NOT_FOUND) moved.push({ row, status: 'gone', now: {}, message: null });
    else if (record === undefined) moved.push({ row, status: 'unread', now: {}, message: problem ?? null });
    else {
      const now = findMoved(call, row.seen, { ...observation, record });
      if (Object.keys(now).length > 0) moved.push({ row, status: 'moved', now, message: null });
    }
  }
  return moved;
};

const pickFields = (record: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, record[name]]));

export const MOVED_FIELDS = [
  'n',
  'operation',
  'target',
  'label',
  'status',
  'before',
  'after',
  'message',
] as const;

/** As JSON has it: `before` as it was seen, `after` as it is now. */
export const toMovedRecord = ({ row, status, now, message }: MovedRow): Row => {
  const { n, operation, target, label, seen } = row;
  return {
    n,
    operation,
    target,
    label,
    status,
    before: pickFields(seen ?? {}, Object.keys(now)),
    after: now,
    message,
  };
};
