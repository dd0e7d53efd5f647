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

/** `ttctl api`: any call, documented or not; sends what it is told. */

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

  describe('in other formats', () => {
    const rows = [
      { id: 3, name: 'Quay', tags: [1] },
      { id: 12, name: 'a,b', tags: null },
    ];
    const list = { body: envelope(rows, { pagination: { total: 9, current_page: 1, last_page: 5 } }) };
    it.each([
      ['api /x -o csv', list, 'id,name,tags\r\n3,Quay,[1]\r\n12,"a,b",\r\n'],
      ['api /x -o tsv --columns name,id', list, 'name\tid\nQuay\t3\na,b\t12\n'],
      ['api /x -o ids', list, '3\n12\n'],
      ['api /x -o ndjson', list, `${rows.map((row) => `${JSON.stringify(row)}\n`).join('')}`],
      ['api /x -o ndjson --columns id', list, '{"id":3}\n{"id":12}\n'],
      [
        'api /x --json --columns id --sort id:desc',
        list,
        '[\n  {\n    "id": 12\n  },\n  {\n    "id": 3\n  }\n]\n',
      ],
      ['api /x --columns id,name', list, 'ID  NAME\n 3  Quay\n12  a,b\n'],
      ['api /x -o markdown --columns id', list, '| id |\n| ---: |\n| 3 |\n| 12 |\n'],
      ['api /x -o csv', { body: envelope({ id: 5, name: 'one' }) }, 'id,name\r\n5,one\r\n'],
      ['api /x -o ids', { body: envelope({ id: 5 }) }, '5\n'],
      ['api /x -o csv', { body: envelope([1, 'b']) }, 'value\r\n1\r\nb\r\n'],
      ['api /x -o ndjson', { body: '[1,{"a":2}]' }, '{"value":1}\n{"a":2}\n'],
      ['api /x -o csv', { body: '7' }, 'value\r\n7\r\n'],
      ['api -X PUT /x -o ids', { body: envelope(null) }, ''],
      ['api /x --query data[].name -o tsv', list, 'value\nQuay\na,b\n'],
      ['api /x -i -o json --query data[0].id', list, undefined],
    ] as const)('%s', async (line, answer, printed) => {
      const { stdout, exit } = await run(line, () => answer);
      expect([exit, stdout]).toEqual(printed === undefined ? [2, ''] : [0, printed]);
    });

    it('says how much is missing of a list, and what became of a write', async () => {
      expect((await run('api /x -o csv', () => list)).stderr).toBe('Showing 2 of 9.\n');
      await recorder?.close();
      const put = await run('api -X PUT /x -o table', () => ({ body: envelope(null) }));
      expect(put).toMatchObject({ stdout: '', stderr: 'OK\n', exit: 0 });
    });

    it('never says that nothing was sent once a write was', async () => {
      const put = await run('api -X PUT /x -o csv --columns none', () => list);
      expect(put).toMatchObject({ stdout: '', exit: 1 });
      expect(recorder?.requests.length).toBe(1);
    });

    it('of the environment holds too', async () => {
      const { stdout } = await run('api /x', () => list, undefined, { TTCTL_OUTPUT: 'ids' });
      expect(stdout).toBe('3\n12\n');
    });
  });

  describe('--include', () => {
    const headers = {
      'x-ratelimit-remaining': '3',
      'set-cookie': 'session=canary-77aa',
      'x-token': 'canary-88bb',
      'x-steers': '\u009b31m',
      link: '</x?access_token=canary-99cc>',
      date: 'Fri, 20 Nov 2026 09:00:00 GMT',
    };

    it('prints status and headers, without secrets and inert, then the response', async () => {
      const body = envelope({ id: 1 });
      const { stdout, exit } = await run('api /x -i', () => ({ status: 201, headers, body }));
      const [head = '', rest = ''] = stdout.split('\n\n');
      expect(exit).toBe(0);
      expect(head).toMatch(/^HTTP\/1\.1 201 Created\n/);
      expect(head).toContain('\nx-ratelimit-remaining: 3\n');
      expect(head).toContain('\nset-cookie: ***\n');
      expect(head).toContain('\nx-token: ***\n');
      expect(stdout).not.toMatch(/canary|\u009b/);
      expect(JSON.parse(rest)).toEqual(body);
    });

    it('of a refusal prints its response too, and ends as the refusal', async () => {
      const refusal = { success: false, message: 'Gone.', meta: {} };
      const { stdout, stderr, exit } = await run('api -X DELETE /x -i', () => ({
        status: 404,
        headers,
        body: refusal,
      }));
      const [head = '', rest = ''] = stdout.split('\n\n');
      expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\n/);
      expect(JSON.parse(rest)).toEqual(refusal);
      expect([exit, stderr]).toEqual([5, expect.stringContaining('error: Gone.')]);
    });

    it('goes before the answer of a query, and is left out of a dry run', async () => {
      const asked = await run('api /x -i --query data.id', () => ({ headers, body: envelope({ id: 5 }) }));
      expect(asked.stdout).toMatch(/^HTTP\/1\.1 200 OK\n[\s\S]*\n\n5\n$/);
      await recorder?.close();
      const planned = await run('api -X PUT /x -i --dry-run', () => ({ body: '' }));
      expect(planned.stdout).toMatch(/^→ \/x {2}would PUT/);
    });
  });

  it('--slurp keeps the pages whole, and a size that is asked for', async () => {
    const page = (n: number) =>
      envelope([{ id: n }], { pagination: { total: 3, per_page: 1, current_page: n, last_page: 3 } });
    const { stdout } = await run('api "/x?per_page=1&page=2&a=b" --paginate --slurp', ({ line }) => ({
      body: page(Number(/[?&]page=(\d+)/.exec(line)?.[1])),
    }));
    expect(JSON.parse(stdout)).toEqual([1, 2, 3].map(page));
    expect(recorder?.lines().sort()).toEqual(
      [1, 2, 3].map((n) => `GET /x?workspace_id=7&a=b&page=${n}&per_page=1`),
    );
  });

  it('--paginate is refused for what is no list', async () => {
    const { stdout, stderr, exit } = await run('api /x/1 --paginate', () => ({ body: envelope({ id: 1 }) }));
    expect({ stdout, exit }).toEqual({ stdout: '', exit: 2 });
    expect(stderr).toContain('--paginate needs a list, but /x/1 did not return one');
  });

  it('applies --query to the answer', async () => {
    const { stdout } = await run('api GET /x --query data[0].id', () => ({ body: envelope([{ id: 5 }]) }));
    expect(stdout).toBe('5\n');
  });
});
