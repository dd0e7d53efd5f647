import { buildCall } from '../../api/calls.ts';
import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { createNameColumn } from '../../resources/columns.ts';
import type { Change, Observation } from '../change.ts';
import { describeEffect, describeRecord } from '../describe-change.ts';
import { readDestination } from '../job/destination.ts';
import { createLook, findMoved, NOT_FOUND } from '../look.ts';
import type { Plan, PlanHead, PlannedWrite } from './plan-file.ts';

/** Whether the records of a plan are still as they were when it was made. */

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

/** What the words of a plan depend on, wherever they are compared. */
export type LabelFrame = Pick<PlanHead, 'created_at' | 'timezone'>;

/** A record in words, which are the same wherever and whenever the plan is read; null where there are none. */
export const describeLabel = async (
  context: Pick<Context, 'output' | 'names'>,
  { call, target }: Pick<Change, 'call' | 'target'>,
  record: Row,
  { created_at, timezone }: LabelFrame,
): Promise<string | null> => {
  const member = createNameColumn(context.names.member, 'user_id', 'member');
  const labelColumns = call.operation.path.endsWith('{userId}') ? [member] : undefined;
  const style = { unicode: true, timeZone: timezone, now: () => Date.parse(created_at) };
  return (await describeRecord(context, { call, target, labelColumns }, record, { style })) ?? null;
};

export interface MovedRow {
  readonly row: PlannedWrite;
  /** `unread`: nobody can tell. */
  readonly status: 'moved' | 'gone' | 'unread';
  /** The fields that moved, as they are now; `label` where nothing else did. */
  readonly now: Row;
  readonly message: string | null;
}

export interface ComparedWrite {
  readonly row: PlannedWrite;
  readonly call: Change['call'];
  /** The record in words, as it is now; null where it was not read, or has none. */
  readonly label: string | null;
  readonly observation: Observation;
  /** Undefined: the record is as it was seen, or there is nothing to compare. */
  readonly moved: MovedRow | undefined;
}

/** What of its record is not as the row says; undefined where all is, or nothing was recorded. */
const findMove = (
  row: PlannedWrite,
  { call, label, observation }: Pick<ComparedWrite, 'call' | 'label' | 'observation'>,
): MovedRow | undefined => {
  if (row.seen === null && row.label === null) return undefined;
  if (observation.problem === NOT_FOUND) return { row, status: 'gone', now: {}, message: null };
  if (observation.record === undefined)
    return { row, status: 'unread', now: {}, message: observation.problem ?? null };
  const now = findMoved(call, row.seen ?? {}, observation);
  if (Object.keys(now).length > 0) return { row, status: 'moved', now, message: null };
  if (row.label === null || row.label === label) return undefined;
  return { row, status: 'moved', now: { label }, message: null };
};

/** All records are read, by lists where that takes fewer requests. */
export const comparePlan = async (
  context: Context,
  { head, rows }: Plan,
): Promise<readonly ComparedWrite[]> => {
  const planned = rows.map((row) => ({
    row,
    call: buildCall(context.api, row.operation, row.values) as Change['call'],
  }));
  const isThere = ({ operation }: Change['call']): boolean => operation.path.includes('{');
  const look = await createLook(context, planned.map(({ call }) => call).filter(isThere));
  const { redact } = await context.jobs();
  const compared: ComparedWrite[] = [];
  for (const { row, call } of planned) {
    const observation = (isThere(call) ? await look(call) : undefined) ?? {};
    const { record } = observation;
    const text = record && (await describeLabel(context, { call, target: row.target }, record, head));
    const label = text == null ? null : String(redact(text));
    compared.push({ row, call, label, observation, moved: findMove(row, { call, label, observation }) });
  }
  return compared;
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
export const toMovedRecord = ({ row, status, now, message }: MovedRow) => {
  const { n, operation, target, label, seen } = row;
  const before = pickFields({ label, ...seen }, Object.keys(now));
  return { n, operation, target, label, status, before, after: now, message };
};

/** `hours a week: 40 → 11`, `gone` */
export const describeMoved = async (
  { output }: Pick<Context, 'output'>,
  moved: MovedRow,
): Promise<string> => {
  if (moved.status === 'moved') return describeEffect(output, toMovedRecord(moved));
  return moved.message ?? (moved.status === 'gone' ? 'it is gone' : 'it could not be read');
};
