import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, envelope, type Recorded } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** `ttctl api`: any call, documented or not, written as `gh api` and curl write it. */

const t = useCli({ env: { TTCTL_WORKSPACE: '' } });
beforeEach(() => {
  t.file('note.txt', 'Two\nlines: true\n');
  t.file('body.json', '{"name":"Quay","a":1}');
  t.file('headers', 'X-Api-Key: canary-1234\r\n\nX-Opaque: canary-5678\n');
});

type Answering = Answer | ((request: Recorded) => Answer);

const run = async (line: string, answer: Answering = { body: envelope(null) }, stdin?: string, env = {}) => {
  t.answer = typeof answer === 'function' ? answer : () => answer;
  const before = t.requests.length;
  const text = line.replaceAll('DIR', t.folder).replaceAll('BASE', t.baseUrl);
  const ended = await t.run(text, { env, ...(stdin !== undefined && { stdin }) });
  return { ...ended, sent: t.lines().slice(before), headers: t.requests[before]?.headers };
};

describe('the request of', () => {
  it.each([
    // A path alone is read; a slash in front is not needed.
    ['api /members', 'GET /members'],
    ['api members', 'GET /members'],
    ['api GET "/members?status=left"', 'GET /members?status=left'],
    ['api -XPUT /members/0', 'PUT /members/0'],
    ['api DELETE /time-entries/a%2Fb', 'DELETE /time-entries/a%2Fb'],
    // Fields or a body mean POST, and the query with GET.
    ['api /x -f a=1', 'POST /x {"a":"1"}'],
    ['api /x -f a=1 -X PUT', 'PUT /x {"a":"1"}'],
    ['api -X GET "/x?z=1" -f a=1 -f "b=c d" --param a=2', 'GET /x?z=1&a=2&a=1&b=c%20d'],
    ['api /x --input DIR/body.json', 'POST /x {"name":"Quay","a":1}'],
    // -f is text, or JSON after `:=`; -F has types.
    ['api /x -f a=true -f b=@x -f d= -f e=b=c', 'POST /x {"a":"true","b":"@x","d":"","e":"b=c"}'],
    [`api /x -f 'a:=["x",{"b":1}]'`, 'POST /x {"a":["x",{"b":1}]}'],
    ['api /x -F a=true -F b=false -F c=null -F d=-2.5', 'POST /x {"a":true,"b":false,"c":null,"d":-2.5}'],
    ['api /x -F a=007 -F b=0x1 -F c=NaN -F d=[1]', 'POST /x {"a":"007","b":"0x1","c":"NaN","d":"[1]"}'],
    ['api /x -F a=@DIR/note.txt -F b=x@y', 'POST /x {"a":"Two\\nlines: true\\n","b":"x@y"}'],
    ['api /x -f __proto__=1', 'POST /x {"__proto__":"1"}'],
    // An address below the base URL is a path, as links in answers are.
    ['api BASE/members?page=2', 'GET /members?page=2'],
  ])('%s', async (line, request) => {
    const { sent, stderr, exit } = await run(line);
    expect([sent, exit], stderr).toEqual([[request], 0]);
  });

  it.each([
    ['api /x --input -', '[1,2]', 'POST /x [1,2]'],
    ['api /x -F note=@-', 'from\nstdin', 'POST /x {"note":"from\\nstdin"}'],
    ['api /x -F a=2 --input -', '{"a":1,"b":3}', 'POST /x {"a":2,"b":3}'],
  ])('%s, with stdin', async (line, stdin, request) => {
    expect((await run(line, undefined, stdin)).sent).toEqual([request]);
  });

  it.each([
    ['api /x', 'GET /x?workspace_id=7'],
    ['api /x -f a=1', 'POST /x?workspace_id=7 {"a":"1"}'],
    ['api "/x?workspace_id=9"', 'GET /x?workspace_id=9'],
    ['api /x -F workspace_id=9', 'POST /x {"workspace_id":9}'],
    ['api /x --no-workspace', 'GET /x'],
    // Where the service reads it in the body alone.
    ['api /webhooks -f url=u', 'POST /webhooks {"workspace_id":7,"url":"u"}'],
    ['api -X DELETE /webhooks/0', 'DELETE /webhooks/0 {"workspace_id":7}'],
  ])('%s in a workspace', async (line, request) => {
    expect((await run(line, undefined, undefined, { TTCTL_WORKSPACE: '7' })).sent).toEqual([request]);
  });

  it('has the headers that are given, secret ones from a file', async () => {
    const line = 'api /x -H "Accept-Language: de" -H X-Trace:a:b -H @DIR/headers --debug';
    const { headers, stderr, exit } = await run(line);
    expect(exit, stderr).toBe(0);
    expect(headers).toMatchObject({
      'accept-language': 'de',
      'x-trace': 'a:b',
      'x-api-key': 'canary-1234',
      'x-opaque': 'canary-5678',
    });
    expect(stderr).toContain('x-opaque: ***');
    expect(stderr).not.toContain('canary');
  });
});

describe('is refused before anything is sent', () => {
  it.each<readonly [line: string, told: string]>([
    ['api GET', 'hint: Write the path too: ttctl api -X GET /members'],
    ['api /a /b', '"/a" is not an HTTP method\nhint: One path is taken.'],
    ['api -X FETCH /x', 'hint: Use GET, POST, PUT, PATCH, DELETE.'],
    ['api GET /x -X POST', 'the method is both POST and GET'],
    ['api "C:/Program Files/Git/members"', 'members/17 in Git Bash'],
    ...[
      'https://evil.example/members',
      '//evil.example/members',
      'BASE.evil.example/x',
      'BASE/../x',
      '/%2E./x',
    ].map((path) => [`api ${path}`, 'is not a path under the base URL'] as const),
    ['api /x -f a', '"a" is not name=value'],
    ['api /x -F a=1 -f a=2', 'the field a was given more than once'],
    ['api /x -f "a[b]=1"', 'cannot be the name of a field\nhint: For nested JSON, use a:=json or --input'],
    ['api /x -F a=@DIR/none', 'no such file'],
    ['api /x -F a=@- --input -', 'stdin can be read only once'],
    ['api /x -H Accept', 'a header must be written as name:value'],
    ['api /x -H "Authorization: Bearer canary-1234"', 'hint: For the token, set TTCTL_TOKEN or sign in.'],
    ['api /x -H "X-Api-Key: canary-1234"', 'Read it from a file with a line "name: value": -H @file'],
    ['api /x -H "X_Api_Key: canary-1234"', 'holds a secret'],
    ['api /x -H "Host: evil.example"', 'error: the header Host is set by ttctl'],
    ['api /x -H "Content-Type: text/csv" -f a=1', 'the body is always sent as application/json'],
    // S14
    ...[
      'X-HTTP-Method-Override',
      'x-http-method',
      'X-Method-Override',
      'X_HTTP_Method_Override',
      'X-Original-URL',
    ].map((name) => [`api /x -H "${name}: DELETE"`, 'would make another request of this one'] as const),
    ['api /x --paginate -f a=1', '--paginate works only with GET'],
    ['api /x --paginate -i', '--include prints a single response'],
    ['api /x --paginate --slurp', 'hint: --paginate prints one array of all records.'],
    ...['-o csv', '-o ids', '--output table', '--columns id', '--sort id'].map(
      (flags) => [`api /x ${flags}`, 'error: api prints JSON\nhint: Choose from it with --query'] as const,
    ),
    ['api /x --jq .data', 'hint: Did you mean --query?'],
    [`api /x -d '{}'`, 'hint: Did you mean --input?'],
  ])('%s', async (line, told) => {
    const { sent, stdout, stderr, exit } = await run(line, undefined, 'x');
    expect({ sent, exit, stdout }, stderr).toEqual({ sent: [], exit: 2, stdout: '' });
    expect(stderr).toContain(told);
    expect(stderr).not.toContain('canary');
  });

  it('an override from a file of headers', async () => {
    t.file('override', 'X-HTTP-Method-Override: DELETE\n');
    expect(await run('api /x -H @DIR/override')).toMatchObject({ exit: 2, sent: [] });
  });
});

describe('the answer', () => {
  it('is printed whole as JSON, whatever its shape and whatever the environment says', async () => {
    const env = { TTCTL_OUTPUT: 'csv' };
    for (const body of [{ ...envelope([{ id: 1 }]), extra: { deep: [null] } }, [1, 2], { a: 'b' }, 5]) {
      const { stdout, exit } = await run('api /x', { body }, undefined, env);
      expect([exit, JSON.parse(stdout)]).toEqual([0, body]);
    }
  });

  it('is what --query makes of it; of a write, whole where the query fails', async () => {
    const answer = { body: envelope([{ id: 5 }]) };
    expect((await run('api /x --query data[0].id', answer)).stdout).toBe('5\n');
    expect(await run('api /x --query "abs(data)"', answer)).toMatchObject({ exit: 2, stdout: '' });
    const put = await run('api -X PUT /x --query "abs(data)"', answer);
    expect([put.exit, JSON.parse(put.stdout)]).toEqual([1, answer.body]);
    expect(put.stderr).toContain('do not run the command again');
  });

  it('has a warning where a number cannot be kept', async () => {
    const { stderr } = await run('api /x', { body: '{"big":9007199254740993}' });
    expect(stderr).toContain('warning: Numbers of big have more digits than can be kept.');
  });

  it('of a write is not asked for under --dry-run, and the request is shown', async () => {
    const { stdout, exit, sent } = await run('api PUT /x -f a=1 --dry-run --json');
    expect([exit, sent]).toEqual([0, []]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'planned',
      request: { method: 'PUT', path: '/x', body: { a: '1' } },
    });
  });

  it.each(['', ' --json', ' --debug'])('is shown by --dry-run%s without secrets', async (flag) => {
    const body = '-f password=canary-3c -f a=canary-2b';
    const line = `api PUT "/x?access_token=canary-1a&note=canary-2b" ${body} --dry-run${flag}`;
    const env = { TTCTL_WEBHOOK_TOKEN: 'canary-2b' };
    const { stdout, stderr, sent } = await run(line, undefined, undefined, env);
    expect(sent).toEqual([]);
    expect(stdout + stderr).not.toContain('canary');
    if (flag === ' --json')
      expect(JSON.parse(stdout).request).toMatchObject({
        query: { access_token: '***', note: '***' },
        body: { password: '***', a: '***' },
      });
  });

  it.each([
    [201, 'Created', 0, { success: true, data: { id: 1 } }],
    [404, 'Not Found', 5, { success: false, message: 'Gone.', meta: {} }],
  ])(
    'with -i comes after status and headers, without secrets and inert: %i',
    async (status, word, exit, body) => {
      const headers = {
        ...{ 'set-cookie': 'session=canary-77aa', 'x-token': 'canary-88bb', 'x-steers': '\u009b31m' },
        link: '</x?access_token=canary-99cc>',
      };
      const ended = await run('api -X DELETE /x -i', { status, headers, body });
      const [head = '', rest = ''] = ended.stdout.split('\n\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} ${word}\n[^]*\nset-cookie: \\*\\*\\*`));
      expect(ended.stdout).not.toMatch(/canary|\u009b/);
      expect([ended.exit, JSON.parse(rest)], ended.stderr).toEqual([exit, body]);
      if (exit > 0) expect(ended.stderr).toContain('error: Gone.');
    },
  );
});

describe('an answer that is not JSON', () => {
  const csv = { headers: { 'content-type': 'text/csv' }, body: 'id,name\r\n1,"Zoë"\r\n' };

  it('is passed through byte by byte', async () => {
    t.answer = () => csv;
    expect((await t.process('api /x')).stdout).toBe(csv.body);
    expect((await t.process('api /x -i --json')).stdout).toMatch(
      /^HTTP\/1\.1 200 OK\n[\s\S]*\n\nid,name\r\n1,"Zoë"\r\n$/,
    );
  });

  it.each([
    ['api /x --json', csv],
    ['api /x --query data', csv],
    ['api /x', { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' }],
    ['api /x', { headers: { 'content-type': 'application/json' }, body: '{"a":' }],
  ])('is an error where JSON is asked for or promised, and where it is a page: %s', async (line, answer) => {
    const { exit, stdout, stderr } = await run(line, answer);
    expect([exit, stdout]).toEqual([7, '']);
    expect(stderr).toContain('a response that is not from the API');
  });
});

describe('--paginate', () => {
  const rows = [1, 2, 3, 4, 5].map((id) => ({ id }));
  const pageOf = ({ line }: Recorded) => Number(/[?&](?:page=|cursor=c)(\d+)/.exec(line)?.[1] ?? 1);
  const part = (page: number) => rows.slice(page * 2 - 2, page * 2);

  it.each<
    readonly [how: string, answer: (data: readonly object[], page: number, next: number | null) => object]
  >([
    [
      'meta.pagination',
      (data, page) =>
        envelope(data, { pagination: { total: 5, per_page: 2, current_page: page, last_page: 3 } }),
    ],
    ['a total', (data) => ({ data, total: 5 })],
    ['meta.total', (data) => envelope(data, { total: 5 })],
    ['pages until an empty one', (data) => ({ data })],
    ['a whole list at once', (_data, page) => (page === 1 ? rows : [])],
    ['a number of the next page', (data, _page, next) => ({ data, next_page: next })],
    ['a link', (data, _page, next) => ({ data, links: { next: next && `?page=${next}` } })],
    ['a link below the base URL', (data, _page, next) => ({ data, next: next && `/api/v2/x?page=${next}` })],
    ['a cursor', (data, _page, next) => ({ data, meta: { next_cursor: next && `c${next}` } })],
  ])('follows %s to the end, and is sure of it', async (_how, answer) => {
    const { stdout, stderr, exit, sent } = await run('api "/x?a=b&per_page=2" --paginate', (request) => {
      const page = pageOf(request);
      return { body: answer(part(page), page, page < 3 ? page + 1 : null) };
    });
    expect([exit, JSON.parse(stdout)], stderr).toEqual([0, rows]);
    expect(stderr).not.toContain('may be incomplete');
    expect(sent.every((line) => line.includes('a=b') && line.includes('per_page=2'))).toBe(true);
  });

  it.each<readonly [string, object, string]>([
    ['a page that comes again', {}, 'the service sent the same page again'],
    ['another address', { next: 'https://evil.example/x' }, 'is at another address: https://evil.example/x'],
    ['no address', { links: { next: { href: '/x' } } }, 'is at another address: {"href":"/x"}'],
    ['a page that was read', { next: '?page=1' }, 'the next page is one that was read before'],
    ['fewer than are counted', { total: 9, next: null }, 'the list of records is incomplete: got 1 of 9'],
  ])('says that it cannot tell whether all is there: %s', async (_what, answer, why) => {
    const { stdout, stderr, exit } = await run('api /x --paginate', {
      body: { data: [{ id: 1 }], ...answer },
    });
    expect([exit, JSON.parse(stdout)]).toEqual([0, [{ id: 1 }]]);
    expect(stderr).toMatch(/^warning: the list (may be|of records is) incomplete: /);
    expect(stderr).toContain(why);
  });

  it('takes records from elsewhere by --query, which else sees all records', async () => {
    const paginate = (line: string, answer: (data: readonly object[]) => object) =>
      run(`api ${line} --paginate`, (request) => ({ body: answer(part(pageOf(request))) }));
    const items = await paginate('/x --query items[].id', (data) => ({ items: data, total: 5 }));
    expect(JSON.parse(items.stdout)).toEqual([1, 2, 3, 4, 5]);
    expect((await paginate('/x --query "length(@)"', (data) => ({ data }))).stdout).toBe('5\n');
    const none = await paginate('/x/1', () => envelope({ id: 1 }));
    expect([none.exit, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toContain('Name the records with --query');
  });
});
