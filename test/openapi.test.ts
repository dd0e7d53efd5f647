import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { buildOpenApiDocument } from '../src/api/openapi-document.ts';
import { runInProcess } from './support/in-process.ts';
import { responseChecker } from './support/response-checker.ts';
import { ROUTES } from './support/sandbox-server.ts';
import { leaves } from './support/tree.ts';

/** `ttctl schema`: the commands and the service, for programs. */

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into at any depth
const dig = (value: any, ...path: string[]): any => path.reduce((node, key) => node?.[key], value);

const printed = async (...args: string[]) => {
  const { stdout, exit, stderr } = await runInProcess(['schema', ...args]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
};

describe('schema --openapi', () => {
  it('prints the document', async () => {
    expect(await printed('--openapi')).toEqual(JSON.parse(JSON.stringify(buildOpenApiDocument())));
  });

  it('is clean to a public linter', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(buildOpenApiDocument()), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it('holds the operations of the specification', () => {
    const routes = Object.entries(dig(buildOpenApiDocument(), 'paths')).flatMap(([path, item]) =>
      Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.sort()).toEqual([...ROUTES].sort());
  });

  it('says of the member list what the specification says', () => {
    const list = dig(buildOpenApiDocument(), 'paths', '/members', 'get');
    const parameters = Object.fromEntries(
      list.parameters.map(({ name, ...rest }: { name: string }) => [name, rest]),
    );
    expect(parameters).toMatchObject({
      workspace_id: { in: 'query', required: true, schema: { type: 'integer' } },
      email: { in: 'query', schema: { type: 'string', format: 'email' } },
      status: { schema: { enum: ['active', 'inactive', 'left', 'unknown'] } },
      page: { schema: { type: 'integer', minimum: 1, default: 1 } },
      per_page: { schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
    });
    expect(list.security).toEqual([{ oauth2: ['read'] }, { personalAccessToken: [] }]);
    expect(Object.keys(list.responses)).toEqual(['200', '400', '401', '403', '404', '422', '429', '500']);
  });

  it('says of a write where each value goes', () => {
    const body = (path: string, method: string) =>
      dig(
        buildOpenApiDocument(),
        'paths',
        path,
        method,
        'requestBody',
        'content',
        'application/json',
        'schema',
      );
    const update = body('/members/{memberId}', 'put');
    expect(update.properties.rate_status.enum).toEqual([0, 1]);
    expect(update.properties.weekly_hours_limit).toMatchObject({ type: 'integer', minimum: 0 });
    expect(update.properties.remove_avatar.enum).toEqual([0, 1]);
    expect(body('/tasks/{taskId}/assign/{userId}', 'post').required).toEqual(['workspace_id', 'project_id']);
    expect(body('/timesheets/{timesheetId}/reject', 'put').required).toEqual(['reason']);
    const create = dig(buildOpenApiDocument(), 'paths', '/webhooks', 'post', 'requestBody', 'content');
    expect(Object.keys(create)).toEqual(['application/json', 'application/x-www-form-urlencoded']);
    expect(dig(buildOpenApiDocument(), 'paths', '/time-tracking/stop', 'post').requestBody).toBeUndefined();
  });

  it('is of use to a checker of answers', () => {
    const check = responseChecker();
    const meta = { api_version: '2.0.0', timestamp: '2026-11-20T09:00:00Z' };
    const answer = (data: unknown, status = 200, success = true) =>
      check({ route: 'GET /members', status, body: JSON.stringify({ success, message: 'x', data, meta }) });
    expect(answer([{ id: 1, email: null, shoe_size: 43 }])).toBeUndefined();
    expect(answer([{ id: 'one' }])).toContain('id must be integer');
    expect(answer({ id: 1 })).toContain('must be array');
    expect(answer([], 200, false)).toContain('success');
    expect(answer(null, 404, false)).toBeUndefined();
    expect(answer(null, 418, false)).toContain('no such answer');
  });

  it('takes no command beside it', async () => {
    expect((await runInProcess(['schema', 'members', '--openapi'])).exit).toBe(2);
  });
});

interface Node {
  readonly name: string;
  readonly commands?: readonly Node[];
  readonly [key: string]: unknown;
}

/** A command may have others below it: what tells how a node can end is run by itself. */
const pathsOf = (node: Node, above: readonly string[] = []): string[] => {
  const path = [...above, node.name];
  return [
    ...(node['exit_codes'] === undefined ? [] : [path.join(' ')]),
    ...(node.commands ?? []).flatMap((child) => pathsOf(child, path)),
  ];
};

describe('schema', () => {
  it('prints every command there is', async () => {
    const tree: Node = await printed();
    const wanted = (await leaves()).map(({ path }) => `ttctl ${path}`);
    expect(pathsOf(tree)).toEqual(wanted);
    expect(tree.global_options).toContainEqual(
      expect.objectContaining({ flags: '-w, --workspace <id or name>', type: 'string' }),
    );
  });

  it('tells of a command all that a program needs to call it', async () => {
    expect(await printed('timesheets', 'reject')).toMatchObject({
      name: 'reject',
      description: 'reject submitted timesheets with a reason',
      examples: [expect.stringContaining('ttctl timesheets reject ')],
      arguments: [{ name: 'id', required: false, variadic: true }],
      operation: {
        id: 'timesheets.reject',
        method: 'PUT',
        path: '/timesheets/{timesheetId}/reject',
        scope: 'write',
        roles: 'managers',
      },
      writes: true,
    });
    const { options, writes } = await printed('members', 'list');
    expect(writes).toBe(false);
    expect(options).toContainEqual({
      flags: '--status <status>',
      description: expect.stringContaining('only members with this status'),
      type: 'string',
      choices: ['active', 'inactive', 'left', 'unknown'],
      parameter: { operation: 'members.list', name: 'status' },
    });
    expect((await printed('api')).writes).toBe(true);
    const start = await printed('sandbox', 'start');
    expect(start.options).toContainEqual(expect.objectContaining({ flags: '--no-limits', type: 'boolean' }));
    expect(start.options).toContainEqual(expect.objectContaining({ flags: '--port <n>', default: '4747' }));
  });

  it('finds a command by its alias, and says when there is none', async () => {
    expect((await printed('members', 'delete')).name).toBe('archive');
    const { exit, stderr } = await runInProcess(['schema', 'members', 'fly']);
    expect(exit).toBe(2);
    expect(stderr).toContain('there is no command members fly');
  });
});

describe('package-lock.json', () => {
  it('names no registry', () => {
    const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
    expect(text.match(/"resolved": "[^"]*"/g) ?? []).toEqual([]);
  });
});
