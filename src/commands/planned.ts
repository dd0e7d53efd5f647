import type { Row } from '../api/page.ts';
import type { Column } from '../context.ts';

/** What a command prints that changes no record of the service: a profile, a sign-in, the sandbox. */

/** A record and its columns, with `planned` where --dry-run has kept it from being done. */
export const told = (
  plan: boolean,
  record: Row,
  columns?: readonly Column[],
): readonly [Row, (readonly Column[])?] => {
  if (!plan) return [record, columns];
  return [{ ...record, planned: true }, columns && [...columns, { field: 'planned' }]];
};
