import { afterEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { literal } from '../support/literal.ts';
import {
  type Answer,
  envelope,
  type Recorded,
  type Recorder,
  serviceEnv,
  startRecorder,
} from '../support/recorder.ts';
import { words } from '../support/words.ts';

/** `ttctl api`: any call, documented or not; sends what it is told (docs/requirements.md, CLI-1). */

literal([
  ['api GET /members', 'GET /members?workspace_id=7'],
  ['api get members', 'GET /members?workspace_id=7'],
  ['api GET "/members?status=left&page=2"', 'GET /members?workspace_id=7&status=left&page=2'],
  ['api GET "/x?next=a?b&c=d=e"', 'GET /x?workspace_id=7&next=a%3Fb&c=d%3De'],
  ['api GET /x --param a=1 --param a=2 --param b=', 'GET /x?workspace_id=7&a=1&a=2&b='],
  ['api GET /x --no-workspace', 'GET /x'],
  ['api GET "/x?workspace_id=9"', 'GET /x?workspace_id=9'],
  [
    'api PATCH /x --field a=1 --field b:=1 --field c:=null',
    'PATCH /x?workspace_id=7 {"a":"1","b":1,"c":null}',
  ],
  ['api POST /x --field workspace_id:=9', 'POST /x {"workspace_id":9}'],
  ['api DELETE /members/17', 'DELETE /members/17?workspace_id=7'],
  ['api PUT /time-entries/a%2Fb', 'PUT /time-entries/a%2Fb?workspace_id=7'],
]);

let recorder: Recorder | undefined;
afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
});

const run = async (line: string, answer: (request: Recorded) => Answer, stdin?: string, env = {}) => {
  recorder = await startRecorder(answer);
  return runInProcess(words(line), {
    env: { ...serviceEnv(recorder), ...env },
    ...(stdin === undefined ? {} : { stdin }),
  });
};

describe('api', () => {
  it('takes a path as Git Bash leaves it alone, and says so of one that it has made a file', async () => {
    const { stderr, exit } = await run('api GET "C:/Program Files/Git/members"', () => ({}));
    expect({ exit, requests: recorder?.requests }).toEqual({ exit: 2, requests: [] });
    expect(stderr).toContain('Git Bash rewrites a leading slash. Omit it: members/17');
  });

  it('prints the answer whole, envelope and all, whatever its shape', async () => {
    for (const body of [
      { ...envelope([{ id: 1 }]), extra: { deep: [null] } },
      [1, 2],
      { hello: 'world' },
      5,
    ]) {
      const { stdout, exit } = await run('api GET /x', () => ({ body: JSON.stringify(body) }));
      expect([exit, JSON.parse(stdout)]).toEqual([0, body]);
      await recorder?.close();
    }
  });

  it('never asks, not even before a DELETE', async () => {
    expect((await run('api DELETE /members/17', () => ({ body: envelope(null) }))).exit).toBe(0);
  });

  it('warns of fields in the body of a GET, and sends what it is told', async () => {
    const { stderr, exit } = await run('api GET /x --field a=1', () => ({ body: envelope(null) }));
    expect(exit).toBe(0);
    expect(recorder?.lines()).toEqual(['GET /x?workspace_id=7 {"a":"1"}']);
    expect(stderr).toMatch(/^warning: .*GET.*--param/);
    await recorder?.close();
    const put = await run('api PUT /x --field a=1', () => ({ body: envelope(null) }));
    expect(put.stderr).toBe('');
  });

  it('takes a whole body from stdin, of any JSON; fields lie over an object', async () => {
    await run('api POST /x --input -', () => ({ body: envelope(null) }), '[1,2]');
    expect(recorder?.requests[0]?.body).toEqual([1, 2]);
    await recorder?.close();
    await run('api POST /x --input - --field a=2', () => ({ body: envelope(null) }), '{"a":1,"b":3}');
    expect(recorder?.requests[0]?.body).toEqual({ a: '2', b: 3 });
  });

  it('--paginate joins the data of the pages', async () => {
    const page = (n: number) => ({
      body: envelope([{ id: n * 2 }, { id: n * 2 + 1 }], {
        pagination: { total: 6, per_page: 2, current_page: n, last_page: 3 },
      }),
    });
    const { stdout, exit } = await run('api GET /x --paginate', ({ line }) =>
      page(Number(/[?&]page=(\d+)/.exec(line)?.[1])),
    );
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual([2, 3, 4, 5, 6, 7].map((id) => ({ id })));
    expect(recorder?.lines().every((line) => line.includes('workspace_id=7'))).toBe(true);
  });

  it('sends nothing that writes under --dry-run, and shows it', async () => {
    const { stdout, exit } = await run('api PUT /x --field a=1 --dry-run --json', () => ({ body: '' }));
    expect(exit).toBe(0);
    expect(recorder?.requests).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'planned',
      request: { method: 'PUT', path: '/x', query: { workspace_id: '7' }, body: { a: '1' } },
    });
  });

  it('without a workspace adds none', async () => {
    await run('api GET /x', () => ({ body: envelope(null) }), undefined, { TTCTL_WORKSPACE: '' });
    expect(recorder?.lines()).toEqual(['GET /x']);
  });

  it('applies --query to the answer', async () => {
    const { stdout } = await run('api GET /x --query data[0].id', () => ({ body: envelope([{ id: 5 }]) }));
    expect(stdout).toBe('5\n');
  });
});
