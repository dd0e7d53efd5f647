import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Decision, OfferedDraft, State } from '../inbox/state.ts';
import { parseJson } from '../json/parse.ts';
import { Failure } from '../outcome.ts';
import { safeCell } from '../output/safe-text.ts';
import { formatAge } from '../pending/text.ts';
import type { Review, ReviewItem } from '../review.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { readPrivate } from '../storage/own-files.ts';
import { writeDurably } from '../storage/write.ts';

/** What the review screen keeps of each place: reasons that were given, decisions that were not sent. */

/** Places that are stored, the latest first. */
const MAX_PLACES = 20;

interface OfPlace {
  readonly place: string;
}

/** A file of the state directory. @param isEntry whether what was read is one of its entries */
const openPlaces = <T extends OfPlace>(
  directory: string | undefined,
  name: string,
  isEntry: (one: Partial<Record<keyof T, unknown>>) => boolean,
) => {
  const file = join(directory ?? '', 'inbox', name);
  /** A file that cannot be read counts as empty. */
  const read = (): readonly T[] => {
    if (directory === undefined) return [];
    try {
      const parsed = parseJson(readPrivate(file)?.text ?? '[]');
      const list: unknown = 'value' in parsed ? parsed.value : [];
      return Array.isArray(list) ? list.filter((one) => isEntry(one ?? {})).slice(0, MAX_PLACES) : [];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [];
    }
  };
  return {
    find: (place: string) => read().find((one) => one.place === place),
    /** @param entry undefined: none @returns why it could not be written */
    replace(place: string, entry: T | undefined): string | undefined {
      if (directory === undefined) return 'no state directory is known';
      const stored = read();
      const others = stored.filter((one) => one.place !== place);
      if (entry === undefined && others.length === stored.length) return undefined;
      try {
        makePrivateDirectory(dirname(file));
        const entries = [...(entry === undefined ? [] : [entry]), ...others].slice(0, MAX_PLACES);
        writeDurably(file, `${JSON.stringify(entries, null, 2)}\n`);
        return undefined;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return [error.message, error.reason].filter(Boolean).join(': ');
      }
    },
  };
};

const isText = (value: unknown): boolean => typeof value === 'string';

/** The latest first. */
interface StoredReasons extends OfPlace {
  readonly reasons: readonly string[];
}

export const openReasons = (directory: string | undefined) =>
  openPlaces<StoredReasons>(
    directory,
    'reasons.json',
    ({ place, reasons }) => isText(place) && Array.isArray(reasons) && reasons.every(isText),
  );

interface StoredDecision {
  readonly key: string;
  readonly verdict: string;
  readonly reason?: string;
  /** Digest of what was decided on. */
  readonly version: string;
  /** For people. */
  readonly label: string;
}

interface StoredDraft extends OfPlace {
  /** Milliseconds since the epoch. */
  readonly saved_at: number;
  readonly decisions: readonly StoredDecision[];
}

const isStoredDecision = (one: Partial<Record<keyof StoredDecision, unknown>> | null): boolean =>
  [one?.key, one?.version, one?.label].every(isText) &&
  (one?.verdict === 'reject' ? isText(one.reason) : one?.verdict === 'approve' || one?.verdict === 'skip');

export const openDrafts = (directory: string | undefined) =>
  openPlaces<StoredDraft>(
    directory,
    'drafts.json',
    ({ place, saved_at: at, decisions }) =>
      isText(place) && Number.isFinite(at) && Array.isArray(decisions) && decisions.every(isStoredDecision),
  );

const digest = ({ version }: ReviewItem): string =>
  createHash('sha256').update(version).digest('base64url').slice(0, 16);

/** The decisions of a state as they are stored. @param isStorable whether a text has no secret in it */
export const toStoredDecisions = (
  { items, decisions }: Pick<State, 'items' | 'decisions'>,
  isStorable: (text: string) => boolean,
): readonly StoredDecision[] =>
  items.flatMap((item) => {
    const decision = decisions.get(item.key);
    if (decision === undefined || (decision.verdict === 'reject' && !isStorable(decision.reason))) return [];
    const label = [item.who, item.kind, item.when, item.amount].join('  ');
    return [{ key: item.key, ...decision, version: digest(item), label }];
  });

export interface ComparedDraft {
  /** Undefined where there is nothing to say. */
  readonly offer: OfferedDraft | undefined;
  /** About items that this review may only not show: they stay in the draft. */
  readonly others: readonly StoredDecision[];
}

const toDecision = ({ verdict, reason = '' }: StoredDecision): Decision =>
  verdict === 'reject' ? { verdict, reason } : { verdict: verdict === 'skip' ? 'skip' : 'approve' };

/** What of a draft still holds. @param now milliseconds since the epoch */
export const compareDraft = (
  draft: StoredDraft | undefined,
  { items, isWhole }: Pick<Review, 'items' | 'isWhole'>,
  now: number,
): ComparedDraft => {
  if (draft === undefined) return { offer: undefined, others: [] };
  const byKey = new Map(items.map((item) => [item.key, item]));
  const decisions = new Map<string, Decision>();
  const gone: string[] = [];
  const others: StoredDecision[] = [];
  for (const stored of draft.decisions) {
    const item = byKey.get(stored.key);
    if (item === undefined && !isWhole) others.push(stored);
    else if (item === undefined) gone.push(safeCell(`${stored.label}: no longer waiting`));
    else if (digest(item) !== stored.version) gone.push(safeCell(`${stored.label}: changed since`));
    else decisions.set(stored.key, toDecision(stored));
  }
  const age = formatAge(Math.max(0, Math.floor((now - draft.saved_at) / 1000)));
  const saved = age === 'now' ? 'just now' : `${age} ago`;
  const offer = decisions.size + gone.length === 0 ? undefined : { decisions, gone, saved };
  return { offer, others };
};
