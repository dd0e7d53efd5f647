import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { leaves } from '../support/tree.ts';

/** `ttctl schema`: the commands, for programs. */

const printed = async (...args: string[]) => {
  const { stdout, exit, stderr } = await runInProcess(['schema', ...args]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
};

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

const leavesOf = (node: Node): readonly Node[] => node.commands?.flatMap(leavesOf) ?? [node];

describe('schema', () => {
  it('prints every command there is, with what it prints and how it can end', async () => {
    const tree: Node = await printed();
    const wanted = (await leaves()).map(({ path }) => `ttctl ${path}`);
    expect(pathsOf(tree)).toEqual(wanted);
    for (const { name, prints, exit_codes, writes } of leavesOf(tree)) {
      expect(Object(prints).shape, name).toMatch(/^(list|record|result|results|text|document)$/);
      expect(exit_codes, name).toEqual(expect.arrayContaining([0, 1, 2, 129, 130, 143]));
      expect(typeof writes, name).toBe('boolean');
      for (const code of exit_codes as readonly number[])
        expect(tree.exit_code_meanings).toHaveProperty(String(code));
    }
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
});

describe('package-lock.json', () => {
  it('names no registry', () => {
    const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
    expect(text.match(/"resolved": "[^"]*"/g) ?? []).toEqual([]);
  });
});
