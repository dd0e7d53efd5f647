import { describe, expect, it } from 'vitest';
import { answerRead, writeLines } from './samples.ts';
import { quickClock } from './support/clocks.ts';
import { words } from './support/in-process.ts';
import { type Answer, plainAnswer, type Recorded } from './support/service.ts';
import { ask, type Row } from './support/use-cli.ts';

/**
 * No write is sent twice unless the service said that it did not happen. Held for every write command there is, against
 * a service that counts.
 */

const FAULTS: readonly (readonly [name: string, fault: Answer])[] = [
  ['the connection is cut', { cut: true }],
  ['no answer comes', { silent: true }],
  ['the answer is 500', { status: 500, body: { success: false, message: 'Server Error' } }],
  ['the answer is HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' }],
];

describe.concurrent.each(FAULTS)('when %s, the write is sent once:', (_name, fault) => {
  const attempt = async (path: string, line: string, isBlind: boolean) => {
    let isSent = false;
    const answer = (request: Recorded): Answer => {
      if (request.line.startsWith('GET '))
        return isBlind && isSent ? { cut: true } : answerRead(request, words(line));
      isSent = true;
      return fault;
    };
    const timeout = fault.silent ? '15' : '500';
    const ended = await ask(`${line} --yes --json --timeout ${timeout}`, answer, { clock: quickClock });
    const { sent, stdout, stderr } = ended;
    expect(sent, stderr).not.toEqual([]);
    expect(sent, stderr).toEqual([...new Set(sent)]);
    // A raw write has no result, and nobody looks for what became of it.
    const results: readonly Row[] = path === 'api' ? [] : [JSON.parse(stdout)].flat();
    // What was made and found is the record itself.
    const statuses = results.map((result) => (result['operation'] === undefined ? 'done' : result['status']));
    return { exit: ended.exit, statuses: [...new Set(statuses)], stderr };
  };

  it.each(writeLines)('%s', async (path, line) => {
    const { exit, statuses, stderr } = await attempt(path, line, false);
    // Every record is 17 and has nothing else, and lists show what is on the command line, before as after.
    const isShown = ['members restore', 'viewers restore', 'expenses delete'].includes(path);
    const wanted = isShown ? [0, ['done']] : [7, path === 'api' ? [] : ['unknown']];
    expect([exit, statuses], stderr).toEqual(wanted);
  });

  it.each(writeLines)('%s, and unknown where nothing can be read after it', async (path, line) => {
    const { exit, statuses, stderr } = await attempt(path, line, true);
    expect([exit, statuses], stderr).toEqual([7, path === 'api' ? [] : ['unknown']]);
  });
});

describe.concurrent('after 429 the write is sent again and done:', () => {
  it.each(writeLines)('%s', async (_path, line) => {
    const tooMany = {
      status: 429,
      headers: { 'retry-after': '1' },
      body: { success: false, message: 'Too Many' },
    };
    const refused = new Set<string>();
    const answer = (request: Recorded): Answer => {
      if (request.line.startsWith('GET ')) return answerRead(request, words(line));
      if (refused.has(request.line)) return plainAnswer(request);
      refused.add(request.line);
      return tooMany;
    };
    const { exit, sent, stderr } = await ask(`${line} --yes --json`, answer, { clock: quickClock });
    expect(exit, stderr).toBe(0);
    expect(sent, stderr).toEqual([sent[0], sent[0]]);
  });
});
