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
export function opposite(by: string): Undo {
  return { kind: 'opposite', by };
}

export function removedBy(by: string): Undo {
  return { kind: 'removal', by };
}

export function noUndo(why: string): Undo {
  return { kind: 'none', why };
}
