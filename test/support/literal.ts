import { describe, expect, it } from 'vitest';
import { runInProcess } from './in-process.ts';
import { type Answer, envelope, onePage, type Recorded, serviceEnv, startRecorder } from './recorder.ts';
import { words } from './words.ts';

/**
 * A command line without `ttctl`, and the requests that it makes in their order: `METHOD /path?query {body}`,
 * written from spec/api.md (and spec/notes.md where that is silent), never from our own table.
 */
export type Literal = readonly [command: string, ...requests: string[]];

/** A read of one record ends in its id, which has a digit; a list ends in a word. */
export const readsList = ({ line }: Recorded): boolean => /^GET [^?]*\/[a-z-]+(\?|$)/.test(line);

/** Empty lists, and a record with the id 17. */
export const plainAnswer = (request: Recorded): Answer => ({
  body: readsList(request) ? onePage([]) : envelope({ id: 17 }),
});

/**
 * Runs each command line against a recorder, in workspace 7, and compares what was sent to the letter.
 * @param answer what the recorder answers; default `plainAnswer`
 */
export const literal = (
  cases: readonly Literal[],
  answer: (request: Recorded) => Answer = plainAnswer,
): void => {
  describe('the request of', () => {
    it.each(cases)('%s', async (command, ...requests) => {
      const recorder = await startRecorder(answer);
      try {
        const { exit, stderr } = await runInProcess(words(command), { env: serviceEnv(recorder) });
        expect(stderr).not.toContain('error');
        expect(exit).toBe(0);
        expect(recorder.lines()).toEqual(requests);
      } finally {
        await recorder.close();
      }
    });
  });
};
