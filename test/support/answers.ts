import { type Answer, envelope, onePage, type Recorded } from './recorder.ts';

/** What a service answers of which a test asks for nothing special. */

/** A read of one record ends in its id, which has a digit; a list ends in a word. */
export const readsList = ({ line }: Recorded): boolean => /^GET [^?]*\/[a-z-]+(\?|$)/.test(line);

/** The id that a request names; as the record has it where that is the same. */
const idIn = ({ line }: Recorded, { id }: { readonly id?: unknown }): unknown => {
  const [, asked] = /^\w+ \/[a-z-]+\/([^/?]+)/.exec(line) ?? [];
  return asked === undefined || asked === String(id) ? id : decodeURIComponent(asked);
};

/** A record as the service answers with it: it has the id that was asked for. */
export const ofRequest = (request: Recorded, record: object): object => ({
  ...record,
  id: idIn(request, record),
});

/** Empty lists, and a record with the id 17 where another is not asked for. */
export const plainAnswer = (request: Recorded): Answer => ({
  body: readsList(request) ? onePage([]) : envelope(ofRequest(request, { id: 17 })),
});

/**
 * A service whose one record is read as it was written last, and whose lists have these rows. Its answers to writes show
 * the record as it was at first, with the id that was asked for.
 */
export const keepsWrites = (record: object, rows: readonly object[] = []) => {
  let written: object = {};
  return (request: Recorded): Answer => {
    if (readsList(request)) return { body: onePage(rows) };
    if (request.line.startsWith('GET '))
      return { body: envelope(ofRequest(request, { ...record, ...written })) };
    written = Object(request.body);
    return { body: envelope(ofRequest(request, record)) };
  };
};
