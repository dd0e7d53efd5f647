import { safeName } from '../output/safe-text.ts';
import type { Evidence, EvidenceBar, EvidencePart, Review } from '../review.ts';
import type { Style } from './style.ts';

/** What is known around the items of a review: read when it is wanted, one item after the other. */

const sanitizePart = ({ label, lines, bars }: EvidencePart, { unicode }: Style): EvidencePart => {
  const cell = (text: string) => (unicode ? safeName(text) : safeName(text).replaceAll('–', '-'));
  const clean = (bar: EvidenceBar) => ({
    ...bar,
    label: cell(bar.label),
    text: cell(bar.text),
    note: cell(bar.note),
  });
  return { label, lines: lines.map(cell), ...(bars && { bars: bars.map(clean) }) };
};

const describeFailure = (error: unknown): Evidence => [
  { label: 'not read', lines: [error instanceof Error ? error.message : String(error)] },
];

export interface EvidenceStore {
  readonly known: ReadonlyMap<string, Evidence>;
  /** Reads these next, one after the other; what was wanted before and is not read yet is forgotten. */
  want(keys: readonly string[]): void;
}

/** @param onChange told whenever there is more to see */
export const createEvidenceStore = (
  { evidence }: Pick<Review, 'evidence'>,
  style: Style,
  signal: AbortSignal,
  onChange: () => void,
): EvidenceStore => {
  const known = new Map<string, Evidence>();
  let wanted: readonly string[] = [];
  let reading = false;
  const read = async (): Promise<void> => {
    reading = true;
    // The key that asked for it is answered first.
    await Promise.resolve();
    for (;;) {
      const key = wanted.find((each) => !known.has(each));
      if (key === undefined || signal.aborted) break;
      const parts = await evidence(key, signal).catch(describeFailure);
      if (signal.aborted) break;
      known.set(
        key,
        parts.map((part) => sanitizePart(part, style)),
      );
      onChange();
    }
    reading = false;
  };
  return {
    known,
    want(keys) {
      wanted = keys;
      if (!reading && keys.some((key) => !known.has(key))) void read();
    },
  };
};
