import type { RecordKind } from '../api/records.ts';

/**
 * The command tree as plain data, as the completing process has it: made from the commands when ttctl is built
 * (table.ts), so that an answer loads no command.
 */

export interface PlainCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  readonly flags?: readonly PlainFlag[];
  /** Absent in a group of commands. */
  readonly positionals?: readonly { readonly value: PlainValue; readonly variadic?: true }[];
  readonly commands?: readonly PlainCommand[];
}

export interface PlainFlag {
  readonly name: string;
  readonly short?: string;
  readonly about: string;
  /** Absent: a switch. */
  readonly value?: PlainValue;
  readonly repeatable?: true;
  /** Not behind the name of a command. */
  readonly alone?: true;
}

/** What may stand for a value. Empty: any text, and nothing is known of it. */
export interface PlainValue {
  readonly words?: readonly string[];
  /** What else is looked up when it is asked for. `command`: words of the tree itself. */
  readonly source?: RecordKind | 'command' | 'profile' | 'time-zone';
  /** Of records: `submitted`, `archived` …; `any`. Default: not archived. */
  readonly state?: string;
  readonly files?: 'files' | 'folders' | 'programs';
  /** Several of them may stand in one word, with commas. */
  readonly list?: true;
}

export interface Candidate {
  /** As a program gets it: nothing is quoted. */
  readonly value: string;
  /** A few words about it. */
  readonly about?: string | undefined;
}

export interface Completion {
  readonly what: 'commands' | 'options' | 'values';
  /** The begin of the typed word that stays as it is: `--role=`, `ana@example.com,`. */
  readonly kept: string;
  readonly candidates: readonly Candidate[];
  /** The shell offers these by itself, beside the candidates. */
  readonly files?: PlainValue['files'];
}
