import type { Field, Fields } from '../api/fields.ts';
import { RECORDS, type RecordName } from '../api/records.ts';
import { type CommandPrints, type CommandRecord, hasFlag } from '../cli/flag.ts';
import type { ExitCode } from '../errors.ts';

/** What a command prints, how it can end, and what its flags take, for help and schema. */

export const SERVICE_EXITS: readonly ExitCode[] = [3, 4, 5, 6, 7];

export const RESULT_FIELDS = [
  'target',
  'status',
  'operation',
  'message',
  'data',
  'request',
  'error',
  'label',
  'before',
  'after',
] as const;

/** What a planned decision says beside that. */
const WARNING_FIELDS = ['warnings', 'warning_messages'] as const;

export interface CommandOutput extends Omit<CommandPrints, 'shape'> {
  readonly shape: CommandPrints['shape'] | 'result';
  readonly record?: RecordName;
  /** Whether `--group-by` makes it an array of groups. */
  readonly groups?: true;
  /** Whether `--from-file` makes it an array of results. */
  readonly rows?: boolean;
}

export function describeOutput(command: CommandRecord): CommandOutput | undefined {
  const { operation, prints } = command;
  const groups = hasFlag(command, 'group-by') && ({ groups: true } as const);
  if (prints !== undefined) {
    const warned = hasFlag(command, 'clean') ? WARNING_FIELDS : [];
    const fields = prints.shape === 'results' && { fields: [...RESULT_FIELDS, ...warned] };
    return { ...fields, ...prints, ...groups };
  }
  if (operation === undefined) return undefined;
  const { method, returns, record } = operation;
  const known = record === undefined ? { fields: [] } : { fields: Object.keys(RECORDS[record]), record };
  if (method === 'GET') return { shape: returns === 'list' ? 'list' : 'record', ...known, ...groups };
  const rows = hasFlag(command, 'from-file');
  if (returns === 'record') return { shape: 'record', rows, ...known, ...groups };
  return { shape: 'result', rows, fields: RESULT_FIELDS, ...groups };
}

/**
 * Whether what a command prints has numbers in a field (`amount`, `total.days`, `member.weekly_hours_limit`); undefined:
 * nothing is documented of it.
 */
export function isNumberField(command: CommandRecord, name: string): boolean | undefined {
  const { record } = describeOutput(command) ?? {};
  const find = (fields: Fields = {}, [head = '', ...rest]: readonly string[]): Field | undefined =>
    rest.length === 0 ? fields[head] : find(fields[head]?.fields, rest);
  const [kind = '', ...path] = name.split('.');
  const joined = (RECORDS as Readonly<Record<string, Fields>>)[kind];
  const field = find(record && RECORDS[record], [kind, ...path]) ?? find(joined, path);
  return field && ['integer', 'number'].includes(field.type);
}

export function listExitCodes(command: CommandRecord): readonly ExitCode[] {
  const { operation, exits = [] } = command;
  // Done, a fault of the machine, wrong usage, a signal: how every command can end.
  const codes = new Set<ExitCode>([0, 1, 2, 129, 130, 143]);
  for (const exit of operation === undefined ? exits : SERVICE_EXITS) codes.add(exit);
  if (operation !== undefined && operation.method !== 'GET') {
    codes.add(9);
    if (hasFlag(command, 'from-file') || describeOutput(command)?.shape === 'results') codes.add(8);
    if (hasFlag(command, 'exit-code')) codes.add(10);
  }
  return [...codes].sort((a, b) => a - b);
}
