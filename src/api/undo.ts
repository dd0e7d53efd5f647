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
export const opposite = (by: string): Undo => ({ kind: 'opposite', by });
export const removedBy = (by: string): Undo => ({ kind: 'removal', by });
export const noUndo = (why: string): Undo => ({ kind: 'none', why });
