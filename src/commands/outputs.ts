import type { Operation } from '../api/operation.ts';
import { RECORDS, type RecordName } from '../api/records.ts';
import type { CommandPrints, CommandRecord } from '../cli/flag.ts';
import { type Flag, hasFlag, isFlag, type Positional } from '../cli/flag.ts';
import type { ExitCode } from '../errors.ts';
import { listChoices } from './flags.ts';

/** What a command prints, how it can end, and what its flags take, for help and schema. */

/** How a command that asks the service can end, beside what every command can. */
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
  /** The record of the service that it is. */
  readonly record?: RecordName;
  /** Whether `--group-by` makes it an array of groups. */
  readonly groups?: true;
  /** Whether `--from-file` makes it an array of results. */
  readonly rows?: boolean;
}

/** `undefined` for a group of commands. */
export function describeOutput(command: CommandRecord): CommandOutput | undefined {
  const { operation, prints } = command;
  const output =
    prints === undefined
      ? operation && describeOperationOutput(command, operation)
      : describeDeclaredOutput(command, prints);
  return output && hasFlag(command, 'group-by') ? { ...output, groups: true } : output;
}

function describeOperationOutput(
  command: CommandRecord,
  { method, returns, record }: Operation,
): CommandOutput {
  const recordInfo = record === undefined ? { fields: [] } : { fields: Object.keys(RECORDS[record]), record };
  if (method === 'GET') return { shape: returns === 'list' ? 'list' : 'record', ...recordInfo };
  const rows = hasFlag(command, 'from-file');
  if (returns === 'record') return { shape: 'record', rows, ...recordInfo };
  return { shape: 'result', rows, fields: RESULT_FIELDS };
}

function describeDeclaredOutput(command: CommandRecord, prints: CommandPrints): CommandOutput {
  const warned = hasFlag(command, 'clean') ? WARNING_FIELDS : [];
  return prints.shape === 'results' ? { fields: [...RESULT_FIELDS, ...warned], ...prints } : prints;
}

/** Done, a fault of the machine, wrong usage, a signal: how every command can end. */
const COMMON_EXITS: readonly ExitCode[] = [0, 1, 2, 129, 130, 143];

/** In ascending order. */
export function listExitCodes(command: CommandRecord): readonly ExitCode[] {
  return [...new Set([...COMMON_EXITS, ...listOwnExits(command)])].sort((a, b) => a - b);
}

function listOwnExits(command: CommandRecord): readonly ExitCode[] {
  const { operation, exits = [] } = command;
  if (operation === undefined) return exits;
  if (operation.method === 'GET') return SERVICE_EXITS;
  const isBulk = hasFlag(command, 'from-file') || describeOutput(command)?.shape === 'results';
  // A protected profile asks before any write.
  const looks = hasFlag(command, 'exit-code') ? [10 as const] : [];
  return [...SERVICE_EXITS, ...(isBulk ? [8 as const] : []), 9, ...looks];
}

/** The words that a flag or positional takes; empty where it takes others too. */
export function listChoiceWords(source: Flag | Positional): readonly string[] {
  const { binding } = source;
  return binding === undefined
    ? ((isFlag(source) ? source.choices : undefined) ?? [])
    : listChoices(binding.parameter);
}
