import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { envelope, keepsWrites, onePage } from '../support/service.ts';
import { complaint, sessionsFor } from '../support/session-runner.ts';
import { useCli } from '../support/use-cli.ts';

/**
 * Sessions with literal requests (README.md): in workspace 7, before a service that knows the requests of each step alone;
 * any other reaches nobody, and is not sent again.
 */

const BASE = '/api/v2';
const ORIGIN = 'https://service.test';
const t = useCli({ env: { TTCTL_BASE_URL: `${ORIGIN}${BASE}`, TTCTL_MAX_WAIT: '0' } });

let sent: string[];
const noteUnexpected = ({ method, path }: { readonly method: string; readonly path: string }): void => {
  sent.push(`${method} ${path} (unexpected)`);
};
beforeEach(() => {
  sent = [];
  nock.disableNetConnect();
  nock.emitter.on('no match', noteUnexpected);
});
afterEach(() => {
  nock.emitter.off('no match', noteUnexpected);
  nock.cleanAll();
});

const answerOf = (text: string) => {
  const [, status, message] = /^(\d{3}) (.*)$/.exec(text) ?? [];
  if (status !== undefined) return { status: Number(status), body: { success: false, message, meta: {} } };
  const data = JSON.parse(text);
  return { body: Array.isArray(data) ? onePage(data) : envelope(data) };
};

describe.each(sessionsFor('service'))('$name', ({ steps }) => {
  it.each(steps)('$command', async (step) => {
    const plain = keepsWrites({ id: 17 });
    for (const { line: asked, answer } of step.requests ?? []) {
      const [, method = '', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(asked) ?? [];
      const scope = nock(ORIGIN).intercept(`${BASE}${path}`, method, body && JSON.parse(body));
      scope.reply(function (uri, got) {
        const line = `${method} ${uri.slice(BASE.length)}`;
        const request = { line, headers: this.req.headers, body: got === '' ? undefined : got };
        sent.push(got === '' ? line : `${line} ${JSON.stringify(got)}`);
        const { status = 200, body: data } = answer === undefined ? plain(request) : answerOf(answer);
        return [status, JSON.stringify(data), { 'content-type': 'application/json' }];
      });
    }
    const [, feed, line] = /^(?:(.*) \| )?ttctl (.*)$/s.exec(step.command) ?? [];
    if (line === undefined) throw new Error(`not a line of ttctl: ${step.command}`);
    const ended = await t.run(line, feed === undefined ? {} : { stdin: (await t.shell(feed)).stdout });
    // Where a step is there for its requests, what it prints is not judged.
    const isSilent = step.stdout.length === 0 && step.requests !== undefined;
    const judged = isSilent && ended.stdout !== '' ? { ...step, stdout: ['...'] } : step;
    expect(complaint(judged, ended, sent)).toBeUndefined();
  });
});
