import { isRecord } from '../json/number.ts';
import { parseJson } from '../json/parse.ts';
import type { SandboxRequest } from './exchange.ts';
import type { Reader } from './read.ts';
import { invalid, Refusal } from './refusal.ts';

interface SentValue {
  readonly raw: unknown;
  readonly wire: boolean;
}

/** What a request sent, wherever it stood; it remembers which fields were read. */
export interface RequestInput {
  /** The value in the body, or undefined where it is absent or null. */
  maybe<T>(name: string, reader: Reader<T>): T | undefined;
  /** As `maybe`. @throws Refusal (400) where it is absent, null or empty text. */
  need<T>(name: string, reader: Reader<T>): T;
  /** As `maybe`, from the query alone: filters and pages. */
  filter<T>(name: string, reader: Reader<T>): T | undefined;
  /** As `maybe`; a value in the query that differs from the body's is refused (docs/service.md, Where values travel). */
  either<T>(name: string, reader: Reader<T>): T | undefined;
  /** Names that were sent and not read: `query.page`, `body.color`. */
  unread(): string[];
}

type Fields = ReadonlyMap<string, SentValue>;

/**
 * `events[]=a&events[]=b` and `events[0]=a` as the framework reads them. Of `a=1&a=2` the last counts, but where
 * repeated names make a list.
 */
const pairsToFields = (pairs: Iterable<readonly [string, string]>, repeated?: 'list'): Fields => {
  const fields = new Map<string, SentValue>();
  for (const [key, value] of pairs) {
    const [, name = key] = /^(.+)\[\d*\]$/.exec(key) ?? [];
    const previous = [fields.get(name)?.raw ?? []].flat();
    const isList = name !== key || (repeated === 'list' && previous.length > 0);
    fields.set(name, { raw: isList ? [...previous, value] : value, wire: true });
  }
  return fields;
};

const parseJsonFields = (body: string): Fields => {
  const parsed = parseJson(body);
  if ('problem' in parsed) throw new Refusal(400, 'The body is not valid JSON.');
  const { value } = parsed;
  if (!isRecord(value)) throw new Refusal(400, 'The body must be a JSON object.');
  return new Map(Object.entries(value).map(([name, raw]) => [name, { raw, wire: false }]));
};

const parseBodyFields = (request: SandboxRequest, form: boolean): Fields => {
  if (request.body === '' || request.method === 'GET') return new Map();
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/x-www-form-urlencoded') {
    if (type !== '' && type !== 'application/json') {
      throw new Refusal(400, `The content type ${type} is not accepted: send application/json.`);
    }
    return parseJsonFields(request.body);
  }
  if (!form) throw new Refusal(400, 'Only webhooks accept a form: send application/json.');
  return pairsToFields(new URLSearchParams(request.body), 'list');
};

const isPresent = (sent: SentValue | undefined): sent is SentValue =>
  sent !== undefined && sent.raw !== null && sent.raw !== undefined;

/**
 * Reads a request's query and body.
 * @param form whether the operation takes a form (webhooks create and update).
 * @throws Refusal (400) for a body that cannot be read.
 */
export const parseRequestInput = (request: SandboxRequest, form: boolean): RequestInput => {
  const query = pairsToFields(request.query);
  const body = parseBodyFields(request, form);
  const namesRead = new Set<string>();
  const read = <T>(location: 'query' | 'body', name: string, reader: Reader<T>): T | undefined => {
    namesRead.add(`${location}.${name}`);
    const sent = (location === 'query' ? query : body).get(name);
    return isPresent(sent) ? reader(sent.raw, name, sent.wire) : undefined;
  };
  const maybe = <T>(name: string, reader: Reader<T>): T | undefined => read('body', name, reader);
  return {
    maybe,
    need: (name, reader) => {
      const value = maybe(name, reader);
      if (value === undefined) throw invalid(name, `The ${name} field is required.`);
      return value;
    },
    filter: (name, reader) => read('query', name, reader),
    either: (name, reader) => {
      const [inBody, inQuery] = [read('body', name, reader), read('query', name, reader)];
      if (inBody !== undefined && inQuery !== undefined && inBody !== inQuery) {
        throw invalid(name, `The ${name} in the query and in the body are different.`);
      }
      return inBody ?? inQuery;
    },
    unread: () => [
      ...[...query.keys()].map((name) => `query.${name}`).filter((name) => !namesRead.has(name)),
      ...[...body.keys()].map((name) => `body.${name}`).filter((name) => !namesRead.has(name)),
    ],
  };
};
