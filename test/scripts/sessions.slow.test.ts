import { afterAll, describe, expect, it } from 'vitest';
import { faultsOfAnswer } from '../support/documented-types.ts';
import { type Exchange, ROUTES } from '../support/sandbox-server.ts';
import { matches, parseSession, runSession, sessionsFor } from '../support/session-runner.ts';
import { openCli } from '../support/use-cli.ts';

/** The readable sessions of this folder, on the embedded sandbox and against a server. */

describe('the format', () => {
  it('is read as its README says', () => {
    const text = '# about\n$ ttctl a\none *\n\n...\n\n! warn: *\n[3]\n\n$ ttctl b\n';
    expect(parseSession(text)).toEqual([
      { line: 2, command: 'ttctl a', stdout: ['one *', '', '...'], stderr: ['warn: *'], exit: 3 },
      { line: 10, command: 'ttctl b', stdout: [], stderr: [], exit: 0 },
    ]);
    expect(() => parseSession('x\n$ y')).toThrow('line 1');
  });

  it('compares to the letter, but for its two wildcards', () => {
    expect(matches(['a*c', '(x)'], ['abc', '(x)'])).toBe(true);
    expect(matches(['a.c'], ['abc'])).toBe(false);
    expect(matches(['a'], ['a', 'b'])).toBe(false);
    expect(matches([], ['a'])).toBe(false);
    expect(matches(['a', '...', 'd'], ['a', 'b', 'c', 'd'])).toBe(true);
    expect(matches(['a', '...', 'd'], ['a', 'd'])).toBe(true);
    expect(matches(['...', 'e'], ['a', 'd'])).toBe(false);
  });
});

describe.concurrent('on the embedded sandbox', () => {
  it.each(sessionsFor('embedded'))('$file', async ({ steps }) => {
    const t = await openCli({ sandbox: 'demo' });
    await runSession(steps, t).finally(() => t.close());
  });
});

const exchanges: Exchange[] = [];

describe.concurrent('against a server', () => {
  it.each(sessionsFor('server'))('$file', async ({ steps }) => {
    const t = await openCli({ sandbox: { recorded: true } });
    await runSession(steps, t).finally(() => t.close());
    exchanges.push(...t.exchanges);
  });
});

describe('together', () => {
  afterAll(() => expect(exchanges.length).toBeGreaterThan(50));

  it('they carry out every operation: one that they lack belongs in test/scripts/<noun>.session', () => {
    const done = new Set(exchanges.filter(({ status }) => status < 300).map(({ route }) => route));
    expect(ROUTES.filter((route) => !done.has(route))).toEqual([]);
  });

  it('get answers of the documented types', () => {
    const wrong = exchanges.flatMap(({ route, status, body }) =>
      route === undefined ? [] : faultsOfAnswer(route, status, JSON.parse(body)),
    );
    expect([...new Set(wrong)]).toEqual([]);
  });
});
