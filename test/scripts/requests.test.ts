import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, envelope, keepsWrites, onePage } from '../support/service.ts';
import { complaint, type Step, sessionsFor } from '../support/session-runner.ts';
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

const answerOf = (text: string): Answer => {
  const [, status, message] = /^(\d{3}) (.*)$/.exec(text) ?? [];
  if (status !== undefined) return { status: Number(status), body: { success: false, message, meta: {} } };
  const data = JSON.parse(text);
  return { body: Array.isArray(data) ? onePage(data) : envelope(data) };
};

const expectRequests = ({ requests = [] }: Step): void => {
  const plain = keepsWrites({ id: 17 });
  const scope = nock(ORIGIN);
  for (const { line, answer } of requests) {
    const [, method = '', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(line) ?? [];
    const asked = body === undefined ? undefined : JSON.parse(body);
    scope.intercept(`${BASE}${path}`, method, asked).reply(function (uri, got) {
      const request = {
        line: `${method} ${uri.slice(BASE.length)}`,
        headers: this.req.headers,
        body: got === '' ? undefined : got,
      };
      sent.push(request.body === undefined ? request.line : `${request.line} ${JSON.stringify(got)}`);
      const { status = 200, body: reply } = answer === undefined ? plain(request) : answerOf(answer);
      return [status, JSON.stringify(reply), { 'content-type': 'application/json' }];
    });
  }
};

describe.each(sessionsFor('service'))('$name', ({ steps }) => {
  it.each(steps)('$command', async (step) => {
    expectRequests(step);
    const [, feed, line] = /^(?:(.*) \| )?ttctl (.*)$/s.exec(step.command) ?? [];
    if (line === undefined) throw new Error(`not a line of ttctl: ${step.command}`);
    const ended = await t.run(line, feed === undefined ? {} : { stdin: (await t.shell(feed)).stdout });
    // Where a step is there for its requests, what it prints is not judged.
    const isSilent = step.stdout.length === 0 && step.requests !== undefined;
    const judged = isSilent && ended.stdout !== '' ? { ...step, stdout: ['...'] } : step;
    expect(complaint(judged, ended, sent)).toBeUndefined();
  });
});
