import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { formatAge } from '../decide/text.ts';
import { Failure } from '../errors.ts';
import { isRecord, parseJson } from '../json.ts';
import { readPrivate } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';
import type { Decision, OfferedDraft, Review, ReviewItem, State } from './state.ts';

/**
 * What is kept between two screens: decisions that were not sent, and reasons that were given. A place is the service,
 * profile and workspace that they are for: what was said to one company's people is not offered at another's.
 */

export interface StoredDecision extends Decision {
  readonly key: string;
  /** Digest of what was decided on. */
  readonly version: string;
}

interface StoredDraft {
  readonly saved_at: number;
  readonly decisions: readonly StoredDecision[];
}

interface Place {
  readonly place: string;
  /** The latest first. */
  readonly reasons?: readonly string[] | undefined;
  readonly draft?: StoredDraft | undefined;
}

const MAX_PLACES = 20;

/** The file of the state directory with what was kept of each place. */
export function openPlace(directory: string | undefined, place: string) {
  const file = join(directory ?? '', 'inbox', 'places.json');
  /** What cannot be read or used, as after an edit by hand, counts as not there. */
  const read = (): readonly Place[] => {
    try {
      const parsed = parseJson((directory && readPrivate(file)?.text) ?? '[]');
      const list: unknown = 'value' in parsed ? parsed.value : [];
      return Array.isArray(list) ? list.filter(isPlace) : [];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return [];
    }
  };
  const find = (): Place => read().find((one) => one.place === place) ?? { place };
  /** @returns why it could not be written */
  const change = (values: Omit<Place, 'place'>): string | undefined => {
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

function isPlace(value: unknown): value is Place {
  if (!isRecord(value)) return false;
  const { place, reasons = [], draft = { saved_at: 0, decisions: [] } } = value;
  const isText = (one: unknown) => typeof one === 'string';
  const isDecision = (one: unknown) =>
    isRecord(one) &&
    [one.key, one.version, one.reason ?? ''].every(isText) &&
    (one.verdict === 'reject' ? isText(one.reason) : one.verdict === 'approve' || one.verdict === 'skip');
  const list = isRecord(draft) && typeof draft.saved_at === 'number' ? draft.decisions : undefined;
  if (!isText(place) || !Array.isArray(reasons) || !Array.isArray(list)) return false;
  return reasons.every(isText) && list.every(isDecision);
}

/** The decisions of a state as they are stored. @param isStorable whether a text has no secret in it */
export function toStoredDecisions(
  { items, decisions }: Pick<State, 'items' | 'decisions'>,
  isStorable: (text: string) => boolean,
): readonly StoredDecision[] {
  return items.flatMap((item) => {
    const decision = decisions.get(item.key);
    if (decision === undefined || !isStorable(decision.reason ?? '')) return [];
    return [{ key: item.key, ...decision, version: digest(item) }];
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
  const byKey = new Map(items.map((item) => [item.key, item]));
  const decisions = new Map<string, Decision>();
  let gone = 0;
  const others: StoredDecision[] = [];
  for (const stored of draft?.decisions ?? []) {
    const { key, version, ...decision } = stored;
    const item = byKey.get(key);
    if (item === undefined && !isWhole) others.push(stored);
    else if (item === undefined || digest(item) !== version) gone += 1;
    else decisions.set(key, decision);
  }
  if (draft === undefined || decisions.size + gone === 0) return { offer: undefined, others };
  const age = formatAge(Math.max(0, Math.floor((now - draft.saved_at) / 1000)));
  return { offer: { decisions, gone, saved: age === 'now' ? 'just now' : `${age} ago` }, others };
}
