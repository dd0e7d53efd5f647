import type { Command, Option } from 'commander';

/** What is never offered for a word that was mistyped: who means it writes it. */

const marked = new WeakSet<Option>();

/** Marks a flag that skips a question, widens what is done or shown, or takes a safeguard away. */
export const unsafe = (option: Option): Option => {
  marked.add(option);
  return option;
};

export const isUnsafe = (option: Option): boolean => marked.has(option);

/** Verbs that take something away or decide about somebody's work. A verb means the same everywhere. */
const DESTRUCTIVE: ReadonlySet<string> = new Set([
  ...['archive', 'delete', 'remove', 'unassign', 'approve', 'reject', 'submit', 'unsubmit'],
  ...['stop', 'reset', 'clear', 'logout'],
]);

export const isDestructive = (command: Command): boolean => DESTRUCTIVE.has(command.name());
