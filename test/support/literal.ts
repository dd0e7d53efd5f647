import { describe, expect, it } from 'vitest';
import { expectRequests } from './expected-service.ts';
import { runInProcess } from './in-process.ts';
import { type Answer, envelope, onePage, type Recorded, serviceEnv } from './recorder.ts';
import { words } from './words.ts';

/** A command line, and the requests that it makes in their order. */
type Literal = readonly [command: string, ...requests: string[]];

/** Each line is a command line without `ttctl`, or after `> ` a request of the one above; after `# ` a remark. */
const parseLiterals = (text: string): readonly Literal[] =>
  text
    .split(/^(?![>#\n])/m)
    .map((part) => part.split('\n').filter((line) => line !== '' && !line.startsWith('#')))
    .flatMap(([command, ...requests]) =>
      command === undefined ? [] : [[command, ...requests.map((line) => line.slice(2))] as const],
    );

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

/**
 * Runs each command line in workspace 7 against a service that knows these requests alone, to the letter: any other fails,
 * one that does not come is missing, and their order is compared.
 * @param cases `METHOD /path?query {body}`, written from docs/service.md, never from our own table
 * @param answer what the service answers; default: empty lists, and a record with the id 17 that keeps what is written
 */
export const literal = (cases: string, answer?: (request: Recorded) => Answer): void => {
  describe('the request of', () => {
    it.each(parseLiterals(cases))('%s', async (command, ...requests) => {
      const service = expectRequests(requests, answer ?? keepsWrites({ id: 17 }));
      // A request that nobody expects is not sent again.
      const env = serviceEnv(service, { TTCTL_MAX_WAIT: '0' });
      try {
        const { exit, stderr } = await runInProcess(words(command), { env });
        expect(stderr).not.toContain('error');
        expect(exit).toBe(0);
        expect(service.unexpected).toEqual([]);
        expect(service.missing()).toEqual([]);
        expect(service.lines).toEqual(requests);
      } finally {
        service.close();
      }
    });
  });
};
