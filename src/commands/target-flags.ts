import type { Operation } from '../api/operation.ts';
import { FILTERS, type Flag } from '../cli/flag.ts';
import { whereFlag, writeFlags } from './flags.ts';

/** The flags of a write over many records: targets, rows of a file, all that a list finds. */

const INPUT = 'Input';
const NO_JOURNAL = 'same as --no-history';

export const maxChangesFlag = {
  name: 'max-changes',
  value: 'n',
  about: 'fail if more than <n> records would change',
  unsafe: true,
} as const satisfies Flag;

const skipMissingFlag = {
  name: 'skip-missing',
  about: 'skip rows whose record does not exist',
  group: INPUT,
  unsafe: true,
} as const satisfies Flag;

const baseFlag = {
  name: 'base',
  value: 'file',
  about: 'the file before it was edited: send only the edits, and keep what others changed since',
  group: INPUT,
} as const satisfies Flag;

const ifMissingFlag = (alike: string) =>
  ({ name: 'if-missing', about: `do nothing if there is already one with ${alike}` }) as const satisfies Flag;

/**
 * The flags of a write over many: targets, or rows of a file.
 * @param alike of a creation: in what a record is the like of another, as its reconciler looks for it
 */
export const targetFlags = (operation: Operation, alike?: string) =>
  [
    ...writeFlags(operation),
    {
      name: 'from-file',
      value: 'file',
      about:
        'read one record per row of a CSV, JSON or NDJSON file (- for stdin); columns are named like the flags, and flags fill in empty cells',
      group: INPUT,
    },
    { name: 'template', about: 'print the heading for such a file', group: INPUT },
    {
      name: 'map',
      value: 'name=column',
      about: 'read the column <name> of the file as <column>',
      repeatable: true,
      group: INPUT,
    },
    { name: 'ignore-columns', about: 'ignore unknown columns', group: INPUT, unsafe: true },
    ...(alike === undefined ? [] : [ifMissingFlag(alike)]),
    ...(operation.path.includes('{') ? [skipMissingFlag] : []),
    ...(operation.undo?.kind === 'values' ? [baseFlag] : []),
    { ...maxChangesFlag, group: INPUT },
    { name: 'no-journal', about: NO_JOURNAL, group: INPUT, unsafe: true },
  ] as const satisfies readonly Flag[];

const TARGETS = 'Targets';

/** `--all`: act on every record that the list's filters match and that is in the right state; and which of them not. */
export const allFlags = (about: string) =>
  [
    { name: 'all', about, group: TARGETS, unsafe: true },
    {
      name: 'except',
      value: 'id',
      about: "with --all, leave out this record, or this member's records (id or e-mail)",
      repeatable: true,
      group: TARGETS,
    },
    { ...whereFlag, group: FILTERS },
  ] as const satisfies readonly Flag[];

/** With `--all`, of what the inbox has warnings about. */
export const cleanFlag = {
  name: 'clean',
  about: 'with --all, only records without a warning in the inbox',
  group: TARGETS,
} as const satisfies Flag;
