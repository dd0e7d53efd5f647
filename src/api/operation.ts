import type { Method } from '../http/transport.ts';
import { ARCHIVED, RESTORED } from './fields.ts';
import type { RecordName } from './records.ts';

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
export const DELETED: Move = { to: null, past: 'deleted' };

export interface Operation {
  /** `noun.verb` of the command line: `timesheets.approve`. */
  readonly id: string;
  /** As the service documents it: `PUT /timesheets/{timesheetId}/approve`. */
  readonly route: string;
  readonly method: Method;
  readonly path: string;
  /** Of its commands: `time-requests`. */
  readonly noun: string;
  /** The parameters of its path; the first names the record, and is `''` where it takes none. */
  readonly idNames: readonly string[];
  readonly idName: string;
  readonly summary: string;
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
  /** Why it may be refused, a sentence without its end, and the command to look at (`{userId}`: a value). Default: by `moves`. */
  readonly refusal?: { readonly why: string; readonly see: string };
}

type PathParameterNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameterNames<Rest>
  : never;

type OperationOptions<P extends ParameterMap> = {
  readonly lists?: RecordName;
  readonly gives?: RecordName;
  readonly parameters?: P;
} & Partial<Pick<Operation, 'workspace' | 'roles' | 'paging' | 'moves' | 'joins' | 'shownBy'>> &
  Pick<Operation, 'refusal' | 'createdId'>;

/** A write without it does not compile. */
type UndoOption<Route extends string> = Route extends `GET ${string}` ? unknown : { readonly undo: Undo };

/**
 * One row. Defaults: `workspace_id` in the query of a read and in query and body of a write (docs/service.md,
 * Where values travel); any role; a list has pages; an answer without data.
 * @param summary what it does: lower-case, verb first
 * @returns without its id, which follows from its place in the table
 */
export function operation<
  const Route extends `${Method} /${string}`,
  const P extends ParameterMap = Record<never, never>,
>(route: Route, summary: string, options: OperationOptions<P> & UndoOption<Route>) {
  const { lists, gives, parameters, ...more } = options;
  const [method, path] = route.split(' ') as [Method, string];
  const isRead = method === 'GET';
  const idNames = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const row = {
    ...{ id: '', noun: '', route, method, path, idNames, idName: idNames[0] ?? '', summary, roles: 'any' },
    scope: isRead ? 'read' : 'write',
    workspace: isRead ? 'query' : 'both',
    paging: lists === undefined ? 'none' : 'pages',
    returns: lists !== undefined ? 'list' : gives !== undefined ? 'record' : 'empty',
    record: lists ?? gives,
    parameters: (parameters ?? {}) as P,
  } as const;
  return { ...row, ...more } as Omit<Operation, 'route' | 'parameters'> &
    Pick<typeof row, 'route' | 'parameters'>;
}

export function resolveLocation(operation: Operation, parameter: Parameter): ParameterLocation {
  return parameter.place ?? (operation.method === 'GET' ? 'query' : 'body');
}

/** Path parameters are needed; everything else may come from `--field` or `--input` (`checkRequired`). */
export type ValuesOf<O extends Operation> = { readonly [N in PathParameterNames<O['route']>]: string } & {
  readonly [N in keyof O['parameters']]?: unknown;
};

export function param<const T extends ParameterType>(type: T, about: string) {
  return { type, about } as const;
}

export function required<const P extends Parameter>(parameter: P) {
  return { ...parameter, required: true } as const;
}

/**
 * How a write is taken back: with the values from before, by the operation that does the opposite to the same record, by one
 * that removes the record that it made; or `why` it cannot be, a sentence without its end.
 */
export type Undo =
  | { readonly kind: 'values' }
  | { readonly kind: 'opposite'; readonly by: string }
  | { readonly kind: 'removal'; readonly by: string }
  | { readonly kind: 'none'; readonly why: string };
