import type { Method } from '../http/transport.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { ARCHIVED, RESTORED, type Row } from './fields.ts';
import type { RecordName } from './records.ts';

type ParameterType =
  | 'string'
  | 'email'
  | 'url' // absolute, http or https
  | 'zone' // IANA name
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date' // YYYY-MM-DD
  | 'datetime' // ISO 8601 with an offset
  | 'string[]'
  | 'integer[]';

export interface Parameter {
  readonly type: ParameterType;
  /** Lower-case phrase for help: `only members with this status`. */
  readonly about: string;
  /**
   * Where it is sent; default: `query` for GET, `body` otherwise. `both`: the documentation names no place or two, so a
   * write sends it in query and body.
   */
  readonly place?: 'query' | 'body' | 'both';
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

type ParameterMap = Readonly<Record<string, Parameter>>;

export interface Move {
  /** The state that it has to be in. Absent: any. */
  readonly from?: string;
  /** Null: the record will be gone. */
  readonly to: string | null;
  /** What then has been done to it: `unsubmitted`. */
  readonly past: string;
}

export const ARCHIVES: Move = { to: ARCHIVED, past: ARCHIVED };
export const RESTORES: Move = { to: RESTORED, past: RESTORED };
export const DELETED: Move = { to: null, past: 'deleted' };

/**
 * How a write is taken back: with the values from before, by the operation that does the opposite to the same record, by one
 * that removes the record that it made; or `why` it cannot be, a sentence without its end.
 */
export type Undo =
  | { readonly kind: 'values' }
  | { readonly kind: 'opposite' | 'removal'; readonly by: string }
  | { readonly kind: 'none'; readonly why: string };

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
  /** `managers` are Owners and Executive Managers; `task-writers` also Project and Team managers. */
  readonly roles: 'any' | 'managers' | 'task-writers';
  readonly workspace: 'none' | 'query' | 'body' | 'both';
  /** `none`: one answer holds all. `pages`: `page` and `per_page`. `page`: `page` only. */
  readonly paging: 'none' | 'pages' | 'page';
  /** A list of records, one, or nothing (`data` null). */
  readonly returns: 'list' | 'record' | 'empty';
  readonly record: RecordName | undefined;
  /** The member of the answer that has the id of a record that was created; default `id`. */
  readonly createdId?: string;
  readonly parameters: ParameterMap;
  readonly undo?: Undo;
  readonly moves?: Move;
  /** Of an update: what every one has to carry. What nobody gives is sent as the record has it. */
  readonly keeps?: readonly string[];
  /** It joins two records, or parts them: its answer may be a third, which joins them. */
  readonly joins?: true;
  /** The operation that shows what became of it. Default: that of the record, else the list. */
  readonly shownBy?: string;
  /** Why it may be refused, and the command to look at. Default: by `moves`. */
  readonly refusal?: (commandLine: CommandLine, values: Row) => string;
}

/** @param answer a record, or a list of such: `member[]` @param summary what it does: lower-case, verb first */
export function read<const Path extends string, const P extends ParameterMap = Record<never, never>>(
  path: Path,
  answer: RecordName | `${RecordName}[]`,
  summary: string,
  parameters?: P,
) {
  const isList = answer.endsWith('[]');
  return createRow(`GET ${path}` as const, summary, parameters, {
    ...{ scope: 'read', roles: 'any', workspace: 'query', paging: isList ? 'pages' : 'none' },
    ...{ returns: isList ? 'list' : 'record', record: answer.replace('[]', '') as RecordName },
  });
}

/**
 * Default: `workspace_id` in query and body (docs/service.md, Where values travel); an answer without data.
 * @param options `undo`: the operation that takes it back, or why none does
 */
export function write<
  const Route extends `${Method} /${string}`,
  const P extends ParameterMap = Record<never, never>,
>(
  route: Route,
  summary: string,
  roles: Operation['roles'],
  options: {
    readonly undo: 'values' | `${string}.${string}` | { readonly why: string };
    readonly gives?: RecordName;
    readonly parameters?: P;
  } & Partial<
    Pick<Operation, 'workspace' | 'moves' | 'keeps' | 'joins' | 'shownBy' | 'refusal' | 'createdId'>
  >,
) {
  const { undo, gives: record, parameters, ...more } = options;
  const taken = { kind: route.includes('{') ? 'opposite' : 'removal', by: undo } as Undo;
  return createRow(route, summary, parameters, {
    ...{ scope: 'write', roles, workspace: 'both', paging: 'none', record, ...more },
    returns: record === undefined ? 'empty' : 'record',
    undo: typeof undo === 'object' ? { kind: 'none', ...undo } : undo === 'values' ? { kind: undo } : taken,
  });
}

function createRow<Route extends string, P extends ParameterMap>(
  route: Route,
  summary: string,
  parameters: P | undefined,
  facts: Omit<
    Operation,
    'id' | 'noun' | 'route' | 'method' | 'path' | 'idNames' | 'idName' | 'summary' | 'parameters'
  >,
) {
  const [method, path] = route.split(' ') as [Method, string];
  const idNames = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const row = { id: '', noun: '', method, path, idNames, idName: idNames[0] ?? '', summary, ...facts };
  return { ...row, route, parameters: parameters ?? ({} as P) };
}

type PathParameterNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameterNames<Rest>
  : never;

/** Path parameters are needed; everything else may come from `--field` or `--input` (`checkRequired`). */
export type ValuesOf<O extends Operation> = { readonly [N in PathParameterNames<O['route']>]: string } & {
  readonly [N in keyof O['parameters']]?: unknown;
};

export function param<
  const T extends ParameterType,
  const M extends Partial<Parameter> = Record<never, never>,
>(type: T, about: string, more?: M) {
  return { type, about, ...(more as M) } as const;
}

export function required<const P extends Parameter>(parameter: P) {
  return { ...parameter, required: true } as const;
}
