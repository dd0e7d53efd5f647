import type { Fields } from './fields.ts';

/** What is true of a resource of the service. Data only: how its records are shown and reconciled is in its folder. */

/** A verb that moves a record from one state to another. */
export interface Transition<State extends string = string> {
  /** Imperative, which is the command's name, and past: `['approve', 'approved']`. */
  readonly verb: readonly [imperative: string, past: string];
  /** The state that a record has to be in. */
  readonly from: State;
  readonly to: State;
  /** Whether one record alone asks too. */
  readonly asks: boolean;
  /** The verb that takes it back. */
  readonly back?: string;
}

export interface Resource<State extends string = string> {
  /** Of its commands, and the begin of the ids of its operations: `time-requests`. */
  readonly noun: string;
  /** One and many: `['time request', 'time requests']`. */
  readonly words: readonly [one: string, many: string];
  readonly fields: Fields;
  /** As the service writes them. */
  readonly states?: readonly State[];
  /** Another word of the service for a state. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** By the verb. */
  readonly transitions?: Readonly<Record<string, Transition<State>>>;
}

/** The compiler holds transitions to the states of the resource. */
export const defineResource = <const State extends string, const R extends Resource<State>>(
  facts: R & { readonly states?: readonly State[] },
): R => facts;

type Row = Readonly<Record<string, unknown>>;

/** Every word that the service has for a state. */
export const listStateWords = (
  { aliases = {} }: Pick<Resource, 'aliases'>,
  state: string,
): readonly string[] => {
  const alias = aliases[state];
  return alias === undefined ? [state] : [state, alias];
};

/** Whether a record is in a state, whatever the service calls it. */
export const isInState = (of: Pick<Resource, 'aliases'>, { status }: Row, state: string): boolean =>
  typeof status === 'string' && listStateWords(of, state).includes(status);

/** What a resource is said to be after a soft delete, which no `status` says. */
export const ARCHIVED = 'archived';

/** Verbs that several resources have, imperative and past. */
export const ARCHIVE = ['archive', ARCHIVED] as const;
export const RESTORE = ['restore', 'restored'] as const;

export const isArchived = (row: Row): boolean => row.deleted_at != null;
