import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { type SandboxServer, startSandboxServer } from '../support/sandbox-server.ts';
import { words } from '../support/words.ts';

/** What hands that know `gh api` and curl write, and the request that the sandbox must see, to the letter. */

let sandbox: SandboxServer;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandboxServer();
  folder = mkdtempSync(join(tmpdir(), 'ttctl-api-'));
  writeFileSync(join(folder, 'note.txt'), 'Two\nlines: true\n');
  writeFileSync(join(folder, 'body.json'), '{"name":"Quay","budget":1e400}');
});
afterAll(async () => {
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = async (line: string, stdin?: string, env = {}) => {
  const before = sandbox.exchanges.length;
  const args = words(line.replaceAll('DIR', folder));
  const ended = await runInProcess(args, {
    env: { ...sandbox.env, TTCTL_WORKSPACE: '', ...env },
    ...(stdin === undefined ? {} : { stdin }),
  });
  const exchanges = sandbox.exchanges.slice(before);
  return { ...ended, exchanges, sent: exchanges.map(({ sent }) => sent) };
};

describe('the request of', () => {
  it.each([
    // A path alone is read; a slash in front is not needed.
    ['api /members', 'GET /members'],
    ['api members', 'GET /members'],
    ['api "/members?status=left"', 'GET /members?status=left'],
    ['api -X DELETE /members/0', 'DELETE /members/0'],
    ['api --method patch /x', 'PATCH /x'],
    ['api -XPUT /members/0', 'PUT /members/0'],
    ['api /x -X POST', 'POST /x'],
    // Fields or a body mean POST, and the query with GET.
    ['api /x -f a=1', 'POST /x {"a":"1"}'],
    ['api /x -f a=1 -X PUT', 'PUT /x {"a":"1"}'],
    ['api -X GET /x -f a=1 -f "b=c d"', 'GET /x?a=1&b=c%20d'],
    ['api -X GET /x -F a=true -F b=null -F c=07 -F d=1.50', 'GET /x?a=true&b=&c=07&d=1.50'],
    ['api -X GET /x -f "id[]=1" -f "id[]=2"', 'GET /x?id%5B%5D=1&id%5B%5D=2'],
    ['api -X GET "/x?z=1" -f a=1 --param a=2 -f "b[]"', 'GET /x?z=1&a=2&a=1'],
    ['api /x --input DIR/body.json', 'POST /x {"name":"Quay","budget":1e400}'],
    ['api /x --input DIR/body.json -X PUT', 'PUT /x {"name":"Quay","budget":1e400}'],
    // -f is text, -F has types, and numbers keep their digits.
    [
      'api /x -f a=true -f b=1 -f c=@x -f d=null -f e=',
      'POST /x {"a":"true","b":"1","c":"@x","d":"null","e":""}',
    ],
    ['api /x -F a=true -F b=false -F c=null', 'POST /x {"a":true,"b":false,"c":null}'],
    [
      'api /x -F a=1 -F b=-2.50 -F c=9007199254740993 -F d=1e400',
      'POST /x {"a":1,"b":-2.50,"c":9007199254740993,"d":1e400}',
    ],
    [
      'api /x -F a=007 -F b=+1 -F c=0x1 -F d=1. -F e=NaN',
      'POST /x {"a":"007","b":"+1","c":"0x1","d":"1.","e":"NaN"}',
    ],
    ['api /x -F a=True -F "b= 1" -F c=[1] -F d={}', 'POST /x {"a":"True","b":" 1","c":"[1]","d":"{}"}'],
    ['api /x -F a=@DIR/note.txt -F b=x@y', 'POST /x {"a":"Two\\nlines: true\\n","b":"x@y"}'],
    ['api /x -f "a=b=c" -F "d=e=1"', 'POST /x {"a":"b=c","d":"e=1"}'],
    ['api /x --raw-field a:=1 --raw-field b=true', 'POST /x {"a:":"1","b":"true"}'],
    // Brackets nest.
    ['api /x -f "a[b]=1" -f "a[c][d]=2"', 'POST /x {"a":{"b":"1","c":{"d":"2"}}}'],
    ['api /x -F "a[]=1" -F "a[]=b"', 'POST /x {"a":[1,"b"]}'],
    ['api /x -f "a[]"', 'POST /x {"a":[]}'],
    ['api /x -F "a[][x]=1" -F "a[][y]=2" -F "a[][x]=3"', 'POST /x {"a":[{"x":1,"y":2},{"x":3}]}'],
    ['api /x -f "__proto__[a]=1"', 'POST /x {"__proto__":{"a":"1"}}'],
    // An address below the base URL is a path, as links in answers are.
    ['api BASE/members?page=2', 'GET /members?page=2'],
    // The form that scripts have.
    ['api GET /members --param status=left', 'GET /members?status=left'],
    ['api PUT /members/0 --field a=1 --field b:=2', 'PUT /members/0 {"a":"1","b":2}'],
    ['api POST /x', 'POST /x'],
  ])('%s', async (line, request) => {
    const { sent, stderr, exit } = await run(line.replace('BASE', sandbox.env.TTCTL_BASE_URL ?? ''));
    expect(sent, stderr).toEqual([request]);
    expect(exit, stderr).not.toBe(2);
  });

  it.each([
    ['api /x --input -', '[1.0]', 'POST /x [1.0]'],
    ['api /x -F note=@-', 'from\nstdin', 'POST /x {"note":"from\\nstdin"}'],
    ['api /x -F a=1 --input -', '{"b":2}', 'POST /x {"b":2,"a":1}'],
  ])('%s, with stdin', async (line, stdin, request) => {
    expect((await run(line, stdin)).sent).toEqual([request]);
  });

  it('names the workspace of the profile unless the request names one', async () => {
    const env = { TTCTL_WORKSPACE: '101' };
    const lines = ['api /x', 'api /x -f a=1', 'api -X GET /x -f workspace_id=9', 'api /x -F workspace_id=9'];
    const sent: string[] = [];
    for (const line of lines) sent.push(...(await run(line, undefined, env)).sent);
    expect(sent).toEqual([
      'GET /x?workspace_id=101',
      'POST /x?workspace_id=101 {"a":"1"}',
      'GET /x?workspace_id=9',
      'POST /x {"workspace_id":9}',
    ]);
  });

  it('sends the workspace in the body where the service reads it there only', async () => {
    const env = { TTCTL_WORKSPACE: '101' };
    const created = await run(
      'api /webhooks -f url=https://example.com/hook -f "events[]=a"',
      undefined,
      env,
    );
    expect(created.sent).toEqual([
      'POST /webhooks {"workspace_id":101,"url":"https://example.com/hook","events":["a"]}',
    ]);
    expect(created.exit).toBe(0);
    expect((await run('api -X DELETE /webhooks/0', undefined, env)).sent).toEqual([
      'DELETE /webhooks/0 {"workspace_id":101}',
    ]);
    expect((await run('api -X DELETE /members/0', undefined, env)).sent).toEqual([
      'DELETE /members/0?workspace_id=101',
    ]);
  });

  it('has the headers that are given', async () => {
    const { exchanges } = await run(
      'api /members -H "Accept-Language: de" -H X-Trace:a:b -H "Accept: text/csv"',
    );
    expect(exchanges[0]?.headers).toMatchObject({
      'accept-language': 'de',
      'x-trace': 'a:b',
      accept: 'text/csv',
      authorization: `Bearer ${sandbox.env.TTCTL_TOKEN}`,
    });
  });
});

describe('is refused before anything is sent', () => {
  it.each([
    ['api GET', 'hint: Write the path too: ttctl api -X GET /members'],
    ['api /a /b', '"/a" is not an HTTP method\nhint: One path is taken.'],
    ['api /members -q ".data[].id"', 'use --query with a JMESPath expression'],
    ['api -X FETCH /x', 'hint: Use GET, POST, PUT, PATCH, DELETE.'],
    ['api GET /x -X POST', 'the method is both POST and GET'],
    ['api https://evil.example/members', 'is not a path under the base URL'],
    ['api //evil.example/members', 'is not a path under the base URL'],
    ['api BASE.evil.example/x', 'is not a path under the base URL'],
    ['api BASE/../x', 'is not a path under the base URL'],
    ['api /x -f a', '"a" is not name=value'],
    ['api /x -F a=1 -f a=2', 'the field a was given more than once'],
    ['api /x -f a=1 -f "a[b]=2"', 'the field a[b] was given more than once'],
    ['api /x -f "a[b=1"', '"a[b" cannot be the name of a field'],
    ['api /x -F a=@DIR/none', 'no such file'],
    ['api /x -F a=@- -F b=@-', 'stdin can be read only once'],
    ['api /x -F a=@- --input -', 'stdin can be read only once'],
    ['api /x -H Accept', 'a header must be written as name:value'],
    [
      'api /x -H "Authorization: Bearer canary-1234"',
      'error: the header Authorization holds a secret, and secrets cannot be passed as flags\nhint: For the token, set TTCTL_TOKEN or sign in.',
    ],
    ['api /x -H "X-Api-Key: canary-1234"', 'the header X-Api-Key holds a secret'],
    [
      'api /x -H "Host: evil.example"',
      'error: the header Host is set by ttctl\n  Requests go to the base URL',
    ],
    ['api /x -H "Content-Type: text/csv" -f a=1', 'the body is always sent as application/json'],
    [
      'api /x --paginate -f a=1',
      '--paginate works only with GET\nhint: With -X GET, fields are sent in the query.',
    ],
    ['api /x --slurp', '--slurp needs --paginate'],
    ['api /x --paginate --slurp -o csv', '--slurp prints one JSON array of pages'],
    ['api /x -i -o csv', '--include prints a single response as text'],
    ['api /x -i --json', '--include prints a single response as text'],
    ['api /x -i --columns id', '--include prints a single response as text'],
    ['api /x -i --paginate', '--include prints a single response as text'],
    ['api /x --sort id --query data', '--sort cannot be combined with --query here'],
    ['api /x --jq .data', 'hint: Did you mean --query?'],
    [`api /x -d '{}'`, 'hint: Did you mean --input?'],
    ['api --request PUT /x', 'hint: Did you mean --method?'],
  ])('%s', async (line, told) => {
    const { sent, stdout, stderr, exit } = await run(
      line.replace('BASE', sandbox.env.TTCTL_BASE_URL ?? ''),
      'x',
    );
    expect({ sent, exit, stdout }, stderr).toEqual({ sent: [], exit: 2, stdout: '' });
    expect(stderr).toContain(told);
    expect(stderr).not.toContain('canary');
  });
});
