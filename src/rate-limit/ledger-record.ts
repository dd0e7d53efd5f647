import type { Admission, RateLimitRefusal, RequestKind } from '../http/pacing.ts';

/**
 * The lines of a ledger. Text, one record a line, so that a torn or damaged line spoils itself alone.
 * Times are milliseconds since the epoch. A run is one process; the id of a request is `<run>.<number>`.
 */
export type LedgerRecord =
  /** A request goes out, unless too many claims stand before this one. Dead after `leaseMs` without an end. */
  | {
      readonly type: 'claim';
      readonly id: string;
      readonly at: number;
      readonly kind: RequestKind;
      readonly bulk: boolean;
      readonly leaseMs: number;
      /** Host, boot and container of the run; `-`: not told. */
      readonly home: string;
    }
  /** The answer has ended. */
  | { readonly type: 'end'; readonly id: string; readonly at: number; readonly kind: RequestKind }
  /** A claim that was not used. */
  | { readonly type: 'drop'; readonly id: string }
  /** A run waits; its place in line is good until then. */
  | { readonly type: 'line'; readonly run: string; readonly until: number; readonly bulk: boolean }
  /** The service refused a request: nobody sends before `until`. */
  | { readonly type: 'hold'; readonly at: number; readonly until: number };

/** A refusal holds back the others for no longer than the service's own longest wait (docs/service.md, Errors). */
export const LONGEST_HOLD_MS = 60_000;

/** What a process writes when an answer has ended, or a request has failed. */
export const createEndRecords = (
  id: string,
  kind: RequestKind,
  at: number,
  refusal: RateLimitRefusal | undefined,
): readonly LedgerRecord[] => {
  const hold = Math.min(refusal?.retryAfterMs ?? 0, LONGEST_HOLD_MS);
  const end = { type: 'end', id, at, kind } as const;
  return hold > 0 ? [end, { type: 'hold', at, until: at + hold }] : [end];
};

export const parseRunName = (id: string): string => id.slice(0, id.lastIndexOf('.'));

export const parseRequestNumber = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1));

const formatKind = (kind: RequestKind): string => (kind === 'write' ? 'w' : 'r');
const formatClass = (bulk: boolean): string => (bulk ? 'bulk' : 'one');
/** Never earlier than it was. */
const roundUp = Math.ceil;

const listFields = (record: LedgerRecord): readonly (string | number)[] => {
  switch (record.type) {
    case 'claim': {
      const { id, at, kind, bulk, leaseMs, home } = record;
      return [id, roundUp(at), formatKind(kind), formatClass(bulk), roundUp(leaseMs), home];
    }
    case 'end':
      return [record.id, roundUp(record.at), formatKind(record.kind)];
    case 'drop':
      return [record.id];
    case 'line':
      return [record.run, roundUp(record.until), formatClass(record.bulk)];
    case 'hold':
      return [roundUp(record.at), roundUp(record.until)];
  }
};

/** With its newline. */
export const formatRecord = (record: LedgerRecord): string =>
  `${record.type} ${listFields(record).join(' ')}\n`;

const ID = /^[a-z\d-]{1,64}\.\d{1,9}$/;
const RUN = /^[a-z\d-]{1,64}$/;
const NUMBER = /^\d{1,15}$/;
const parseKind = (word: string): RequestKind | undefined =>
  word === 'r' ? 'read' : word === 'w' ? 'write' : undefined;
const parseBulk = (word: string): boolean | undefined =>
  word === 'bulk' ? true : word === 'one' ? false : undefined;

type Fields = readonly string[];

/** Undefined where a word is none of its kind, or one is missing or too many. */
const parseClaim = ([id = '', at = '', k = '', c = '', lease = '', home = '', ...more]: Fields) => {
  const [kind, bulk] = [parseKind(k), parseBulk(c)];
  if (kind === undefined || bulk === undefined || more.length > 0) return undefined;
  if (!ID.test(id) || !NUMBER.test(at) || !NUMBER.test(lease) || !RUN.test(home)) return undefined;
  return { type: 'claim', id, at: Number(at), kind, bulk, leaseMs: Number(lease), home } as const;
};

const parseEnd = ([id = '', at = '', k = '', ...more]: Fields) => {
  const kind = parseKind(k);
  if (kind === undefined || !ID.test(id) || !NUMBER.test(at) || more.length > 0) return undefined;
  return { type: 'end', id, at: Number(at), kind } as const;
};

const parseDrop = ([id = '', ...more]: Fields) =>
  ID.test(id) && more.length === 0 ? ({ type: 'drop', id } as const) : undefined;

const parseLine = ([run = '', until = '', c = '', ...more]: Fields) => {
  const bulk = parseBulk(c);
  if (bulk === undefined || !RUN.test(run) || !NUMBER.test(until) || more.length > 0) return undefined;
  return { type: 'line', run, until: Number(until), bulk } as const;
};

const parseHold = ([at = '', until = '', ...more]: Fields) =>
  NUMBER.test(at) && NUMBER.test(until) && more.length === 0
    ? ({ type: 'hold', at: Number(at), until: Number(until) } as const)
    : undefined;

/** Undefined for a line that is none: a torn one, or one of a later version. */
export const parseRecord = (line: string): LedgerRecord | undefined => {
  const [type, ...fields] = line.split(' ');
  if (type === 'claim') return parseClaim(fields);
  if (type === 'end') return parseEnd(fields);
  if (type === 'drop') return parseDrop(fields);
  if (type === 'line') return parseLine(fields);
  return type === 'hold' ? parseHold(fields) : undefined;
};

/** An admission that ends once, however often it is said. */
export const doneOnce = (end: (refusal: RateLimitRefusal | undefined) => void): Admission => {
  let open = true;
  return {
    done(refusal) {
      if (!open) return;
      open = false;
      end(refusal);
    },
  };
};
