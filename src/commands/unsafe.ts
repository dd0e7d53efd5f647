/** Verbs that take something away or decide about somebody's work. A verb means the same everywhere. */
const DESTRUCTIVE: ReadonlySet<string> = new Set([
  ...['archive', 'delete', 'remove', 'unassign', 'approve', 'reject', 'submit', 'unsubmit'],
  ...['stop', 'reset', 'clear', 'logout', 'revoke'],
]);

/** Never offered for a word that was mistyped: who means it writes it. */
export const isDestructive = ({ name }: { readonly name: string }): boolean => DESTRUCTIVE.has(name);
