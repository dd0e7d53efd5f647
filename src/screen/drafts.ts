import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { formatAge } from '../decide/text.ts';
import { Failure } from '../errors.ts';
import { isRecord, parseJson } from '../json.ts';
import { safeCell } from '../output/safe-text.ts';
import { readPrivate } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';
import type { Decision, OfferedDraft, Review, ReviewItem, State } from './state.ts';

/**
 * What is kept between two screens: decisions that were not sent, and reasons that were given. A place is the service,
 * profile and workspace that they are for: what was said to one company's people is not offered at another's.
 */

export interface StoredDecision {
  readonly key: string;
  readonly verdict: string;
  readonly reason?: string;
  /** Digest of what was decided on. */
  readonly version: string;
  /** For people. */
  readonly label: string;
}

interface StoredDraft {
  /** Milliseconds since the epoch. */
  readonly saved_at: number;
  readonly decisions: readonly StoredDecision[];
}

interface Place {
  readonly place: string;
  /** The latest first. */
  readonly reasons?: readonly string[] | undefined;
  readonly draft?: StoredDraft | undefined;
}

/** Places that are stored, the latest first. */
const MAX_PLACES = 20;

/** The file of the state directory with what was kept of each place. */
export function openPlace(directory: string | undefined, place: string) {
  const file = join(directory ?? '', 'inbox', 'places.json');
  const read = () => (directory === undefined ? [] : readPlaces(file));
  const find = (): Place => read().find((one) => one.place === place) ?? { place };
  /** @returns why it could not be written */
  const change = (values: Pick<Place, 'reasons' | 'draft'>): string | undefined => {
    if (directory === undefined) return 'no state directory is known';
    const others = read().filter((one) => one.place !== place);
    try {
      makePrivateDirectory(dirname(file));
      const places = [{ ...find(), ...values }, ...others].slice(0, MAX_PLACES);
      writeDurably(file, `${JSON.stringify(places, null, 2)}\n`);
      return undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [error.message, error.reason].filter(Boolean).join(': ');
    }
  };
  return { find, change };
}

/** A file that cannot be read counts as empty. */
function readPlaces(file: string): readonly Place[] {
  try {
    const parsed = parseJson(readPrivate(file)?.text ?? '[]');
    const list: unknown = 'value' in parsed ? parsed.value : [];
    return Array.isArray(list) ? list.filter(isPlace) : [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
}

/** What cannot be used, as after an edit by hand, counts as not there. */
function isPlace(value: unknown): value is Place {
  if (!isRecord(value) || typeof value['place'] !== 'string') return false;
  const { reasons = [], draft = { saved_at: 0, decisions: [] } } = value;
  if (!Array.isArray(reasons) || !reasons.every(isText)) return false;
  if (!isRecord(draft) || typeof draft['saved_at'] !== 'number') return false;
  return Array.isArray(draft['decisions']) && draft['decisions'].every(isDecision);
}

function isDecision(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { key, verdict, version, label, reason = '' } = value;
  return [key, verdict, version, label, reason].every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** The decisions of a state as they are stored. @param isStorable whether a text has no secret in it */
export function toStoredDecisions(
  { items, decisions }: Pick<State, 'items' | 'decisions'>,
  isStorable: (text: string) => boolean,
): readonly StoredDecision[] {
  return items.flatMap((item) => {
    const decision = decisions.get(item.key);
    if (decision === undefined || (decision.verdict === 'reject' && !isStorable(decision.reason))) return [];
    const label = [item.who, item.kind, item.when, item.amount].join('  ');
    return [{ key: item.key, ...decision, version: digest(item), label }];
  });
}

function digest(item: ReviewItem): string {
  return createHash('sha256').update(item.version()).digest('base64url').slice(0, 16);
}

/**
 * What of a draft still holds.
 * @param now milliseconds since the epoch
 * @returns `others`: about items that this review may only not show, which stay in the draft
 */
export function compareDraft(
  draft: StoredDraft | undefined,
  { items, isWhole }: Pick<Review, 'items' | 'isWhole'>,
  now: number,
): { readonly offer: OfferedDraft | undefined; readonly others: readonly StoredDecision[] } {
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
  if (decisions.size + gone.length === 0) return { offer: undefined, others };
  const age = formatAge(Math.max(0, Math.floor((now - draft.saved_at) / 1000)));
  return { offer: { decisions, gone, saved: age === 'now' ? 'just now' : `${age} ago` }, others };
}

function toDecision({ verdict, reason = '' }: StoredDecision): Decision {
  if (verdict === 'reject') return { verdict, reason };
  return { verdict: verdict === 'skip' ? 'skip' : 'approve' };
}
