import type { Method } from '../http/transport.ts';
import { ARCHIVED, RESTORED } from './fields.ts';
import {
  RATE_STATUS,
  type RecordName,
  SCREENSHOTS,
  type ServiceRecords,
  TASK_PRIORITY,
  TASK_STATUS,
} from './records.ts';

/** The shape of a row of the operation table, and the small words the table is written in. */

export type ParameterType =
  | 'string'
  | 'email'
  | 'url' // absolute, http or https
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date' // YYYY-MM-DD
  | 'datetime' // ISO 8601 with an offset
  | 'string[]'
  | 'integer[]';

/** Where a value is sent. `both`: the documentation names no place or two, so a write sends it in query and body. */
export type ParameterLocation = 'path' | 'query' | 'body' | 'both';

export interface Parameter {
  readonly type: ParameterType;
  /** Lower-case phrase for help: `only members with this status`. */
  readonly about: string;
  /** Default: `query` for GET, `body` otherwise. */
  readonly place?: ParameterLocation;
  readonly required?: true;
  /** The values the service takes, as it writes them. */
  readonly choices?: readonly string[];
  /** Words that people may write for the service's numbers. */
  readonly words?: Readonly<Record<string, number>>;
  /** What a bare switch (`--remove-avatar`) sends. */
  readonly on?: number;
  readonly after?: string;
  readonly notBefore?: string;
  readonly min?: number;
  readonly max?: number;
  readonly unit?: 'hours';
}

export type ParameterMap = Readonly<Record<string, Parameter>>;

/** `managers` are Owners and Executive Managers; `task-writers` also Project and Team managers. */
type RequiredRoles = 'any' | 'managers' | 'task-writers';

/** `none`: one answer holds all. `pages`: `page` and `per_page`. `page`: `page` only. */
export type Paging = 'none' | 'pages' | 'page';

/** What an operation does to the state of its record. */
export interface Move {
  /** The state that it has to be in. Absent: any. */
  readonly from?: string;
  /** Null: the record will be gone. */
  readonly to: string | null;
  /** What then has been done to it: `reopened`. */
  readonly past: string;
}

export const ARCHIVES: Move = { to: ARCHIVED, past: ARCHIVED };
export const RESTORES: Move = { to: RESTORED, past: RESTORED };
export const DELETES: Move = { to: null, past: 'deleted' };

export function move<const State extends string>(
  _record: { readonly states: readonly State[] },
  from: NoInfer<State>,
  to: NoInfer<State>,
  past: string = to,
): Move {
  return { from, to, past };
}

export interface Operation {
  /** `noun.verb` of the command line: `timesheets.approve`. */
  readonly id: string;
  /** As the service documents it: `PUT /timesheets/{timesheetId}/approve`. */
  readonly route: string;
  readonly method: Method;
  readonly path: string;
  /** What it does: lower-case, verb first. */
  readonly summary: string;
  /** The least scope that is accepted (docs/service.md, Scopes). */
  readonly scope: 'read' | 'write';
  readonly roles: RequiredRoles;
  readonly workspace: 'none' | 'query' | 'body' | 'both';
  readonly paging: Paging;
  /** A list of records, one, or nothing (`data` null). */
  readonly returns: 'list' | 'record' | 'empty';
  /** The record of the answer by the name of its schema; none where it is empty. */
  readonly record: RecordName | undefined;
  /** The member of the answer that has the id of a record that was created; default `id`. */
  readonly createdId?: string;
  readonly parameters: ParameterMap;
  readonly undo?: Undo;
  readonly moves?: Move;
  /** It joins two records, or parts them: its answer may be a third, which joins them. */
  readonly joins?: true;
  /** The operation that shows what became of it. Default: that of the record, else the list. */
  readonly shownBy?: string;
  /** Why it may be refused, a sentence without its end, and the command to look at. Default: what follows from `moves`. */
  readonly refusal?: { readonly why: string; readonly see: string };
  /** Members that it names have to work on the project. */
  readonly projectMembers?: true;
}

type PathParameterNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameterNames<Rest>
  : never;

type More = Pick<
  Operation,
  'moves' | 'joins' | 'shownBy' | 'refusal' | 'projectMembers' | 'createdId' | 'undo'
>;

type OperationOptions<P extends ParameterMap, R extends RecordName | undefined> = {
  readonly summary: string;
  /** The record that it answers with a list of. */
  readonly lists?: R;
  /** The record that it answers with. */
  readonly gives?: R;
  readonly parameters?: P;
  readonly workspace?: Operation['workspace'];
  readonly roles?: RequiredRoles;
  readonly paging?: Paging;
} & Omit<More, 'undo'>;

/** A write without it does not compile. */
type UndoOption<Route extends string> = Route extends `GET ${string}` ? unknown : { readonly undo: Undo };

/**
 * One row. Defaults: `workspace_id` in the query of a read and in query and body of a write (docs/service.md,
 * Where values travel); any role; no paging; an answer without data.
 */
export function defineOperation<
  const Id extends string,
  const Route extends `${Method} /${string}`,
  const R extends RecordName | undefined = undefined,
  const P extends ParameterMap = Record<never, never>,
>(id: Id, route: Route, options: OperationOptions<P, R> & UndoOption<Route>) {
  const { summary, lists, gives, parameters, workspace, roles = 'any', paging = 'none', ...more } = options;
  const [method, path] = route.split(' ') as [Method, string];
  const isRead = method === 'GET';
  return {
    id,
    route,
    method,
    path,
    summary,
    scope: isRead ? 'read' : 'write',
    roles,
    workspace: workspace ?? (isRead ? 'query' : 'both'),
    paging,
    returns: lists !== undefined ? 'list' : gives !== undefined ? 'record' : 'empty',
    record: (lists ?? gives) as R,
    parameters: (parameters ?? {}) as P,
    ...(more as More),
  } as const;
}

/** `time-requests` of `time-requests.list`. */
export function nounOf({ id }: Pick<Operation, 'id'>): string {
  return id.split('.')[0] ?? '';
}

export function resolveLocation(operation: Operation, parameter: Parameter): ParameterLocation {
  return parameter.place ?? (operation.method === 'GET' ? 'query' : 'body');
}

type Value<P extends Parameter> = P extends { choices: readonly (infer Choice)[] }
  ? Choice
  : P['type'] extends 'integer' | 'number'
    ? number
    : P['type'] extends 'boolean'
      ? boolean
      : P['type'] extends 'string[]'
        ? readonly string[]
        : P['type'] extends 'integer[]'
          ? readonly number[]
          : string;

/**
 * The values of an operation: path parameters are needed, everything else may be absent, because a raw
 * `--field` or `--input` may supply it; `checkRequired` says what is still missing.
 */
export type ValuesOf<O extends Operation> = { readonly [N in PathParameterNames<O['route']>]: string } & {
  readonly [N in keyof O['parameters']]?: Value<O['parameters'][N]> | undefined;
};

export type RecordOf<O extends Operation> = O['record'] extends RecordName
  ? ServiceRecords[O['record']]
  : null;

/** Parameters that several rows of the table share, and the words to write others. */

export function param<const T extends ParameterType>(type: T, about: string) {
  return { type, about } as const;
}
export function required<const P extends Parameter>(parameter: P) {
  return { ...parameter, required: true } as const;
}

export const email = param('email', 'e-mail address');
export const firstname = param('string', 'first name');
export const lastname = param('string', 'last name');
export const projectId = param('integer', 'project');
export const userId = param('integer', 'member');
export const id = param('string', 'only the record with this id');
export const hoursLimit = { ...param('integer', 'weekly limit in hours'), min: 0 } as const;
export const rateStatus = {
  ...param('integer', 'visibility of the rate'),
  words: RATE_STATUS,
  min: 0,
  max: 1,
} as const;
export const dateRange = {
  date_from: param('date', 'from this date, inclusive'),
  date_to: { ...param('date', 'up to this date, inclusive'), notBefore: 'date_from' },
} as const;
export const taskStatus = { ...param('integer', 'state of the task'), words: TASK_STATUS } as const;
export const taskPriority = { ...param('integer', 'priority of the task'), words: TASK_PRIORITY } as const;

export const projectBody = {
  start_date: param('date', 'first day'),
  deadline: { ...param('date', 'last day, not before the first'), notBefore: 'start_date' },
  estimation: { ...param('number', 'estimated hours'), min: 0, unit: 'hours' },
  budget: { ...param('number', 'budget'), min: 0 },
  notes: param('string', 'notes'),
  icon: param('string', 'icon'),
} as const;
export const contractBody = {
  weekly_hours_limit: hoursLimit,
  screenshots: { type: 'string', choices: SCREENSHOTS, about: 'screenshot mode' },
  rate: { ...param('number', 'hourly rate'), min: 0 },
} as const;
export const taskBody = {
  description: param('string', 'description'),
  status: taskStatus,
  priority: taskPriority,
  start_date: param('date', 'first day'),
  end_date: { ...param('date', 'last day, not before the first'), notBefore: 'start_date' },
  assignees: param('integer[]', 'members to assign'),
} as const;
export const expenseBody = {
  expense_name: required(param('string', 'name of the expense')),
  date: required(param('date', 'day of the expense')),
  amount: required({ ...param('number', 'amount'), min: 0 }),
  category_id: required(param('string', 'expense category')),
  project_id: param('integer', 'project it belongs to'),
  note: param('string', 'note'),
  is_billable: param('boolean', 'billable to the client'),
} as const;
export const webhookBody = {
  url: required(param('url', 'address that receives the events')),
  events: required(param('string[]', 'event to subscribe to')),
} as const;

/** How a write is taken back. */
export type Undo =
  /** By the same operation, with the values from before. */
  | { readonly kind: 'values' }
  /** By the operation that does the opposite to the same record. */
  | { readonly kind: 'opposite'; readonly by: string }
  /** By an operation on the record that it made: what is left is archived or gone. */
  | { readonly kind: 'removal'; readonly by: string }
  /** It cannot be. `why`: a sentence without its end. */
  | { readonly kind: 'none'; readonly why: string };

export const OLD_VALUES: Undo = { kind: 'values' };

/** The parameter of its path that names the record. */
export function getIdName({ path }: Pick<Operation, 'path'>): string {
  return /\{(\w+)\}/.exec(path)?.[1] ?? '';
}
