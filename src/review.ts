/** What is put before a person who decides on many things at a terminal, and what becomes of it. Types only. */

/** One thing that waits for a decision. Texts are as they came: the screen sanitises them. */
export interface ReviewItem {
  /** Of its own among all items. */
  readonly key: string;
  /** As `--kind` has it: `timesheet`. */
  readonly kind: string;
  /** The same in at most five letters, for a narrow terminal: `sheet`. */
  readonly kindBrief: string;
  readonly who: string;
  /** Short: `Nov 9–15`. */
  readonly when: string;
  /** Short: `41:30`, `5 d`. */
  readonly amount: string;
  /** How long it has waited, short: `5 d`. */
  readonly waits: string;
  /** What it belongs to: a policy, a project. */
  readonly about: string | undefined;
  readonly note: string | undefined;
  /** What a decision has to heed, a short sentence each. */
  readonly warnings: readonly string[];
  /** Of the member; a filter finds it by this too. */
  readonly email: string;
  /** The same as long as what is decided on is the same. */
  version(): string;
  /** All that is known of it, for people: label and text. */
  facts(): readonly (readonly [label: string, text: string])[];
}

/** One bar of a small chart. */
export interface EvidenceBar {
  readonly label: string;
  /** Its length, 0 or more. */
  readonly amount: number;
  /** The amount for people, and what is to be said of it. */
  readonly text: string;
  readonly note: string;
}

/** A part of what is known around an item. */
export interface EvidencePart {
  readonly label: string;
  readonly lines: readonly string[];
  /** Above the lines. */
  readonly bars?: readonly EvidenceBar[];
}

export type Evidence = readonly EvidencePart[];

export interface Review {
  /** The oldest first. */
  readonly items: readonly ReviewItem[];
  /** What is missing, and why; shown all the time. */
  readonly warnings: readonly string[];
  /** The command line that shows it again. */
  readonly again: string;
  /** Whether all that waits is among the items. */
  readonly isWhole: boolean;
  /** What is known around an item, read when it is first asked for. Ends early at the signal. */
  evidence(key: string, signal: AbortSignal): Promise<Evidence>;
}

/** One decision that is to be sent. */
export type ReviewDecision =
  | { readonly key: string; readonly verdict: 'approve' }
  | { readonly key: string; readonly verdict: 'reject'; readonly reason: string };

/** What a person leaves the screen with. */
export interface ReviewEnd {
  /** In the order of the items. */
  readonly choices: readonly ReviewDecision[];
  /** The file that they are to be written to as a plan, in place of being sent. */
  readonly plan?: string;
}

export interface ReviewService {
  /** Whether there is a terminal that the screen can be drawn on. */
  readonly available: boolean;
  /** Why nothing could be sent, found before anything is chosen: a token that may only read. */
  obstacle(): Promise<string | undefined>;
  /** Loads what the screen is made of: of use while the service is waited for. */
  prepare(): Promise<void>;
  /**
   * Shows the screen until the person sends or leaves. After a wrong name of a protected profile the screen is there
   * again, with all that was chosen, and so it is where a plan cannot be written to the file that was named. What was
   * chosen and not sent is kept as a draft, which the next screen of the same place offers.
   * @returns what was chosen; nothing when the person left with no choice
   * @throws Cancelled when choices are left (exit 9), at Ctrl-C (130), Ctrl-D on the screen and the end of the
   *   input (9), at a signal
   */
  ask(review: Review): Promise<ReviewEnd>;
  /** The choices were sent, or saved as a plan: the draft is forgotten. */
  finish(): Promise<void>;
  /** Before anything is shown: what was chosen before is not offered. @returns how many decisions it had */
  discardDraft(): Promise<number>;
}
