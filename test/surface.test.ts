import { describe, expect, it } from 'vitest';
import { allOperations } from '../src/api/operations.ts';
import { leaves } from './support/tree.ts';

/** The surface as one reviewable file: every operation of the service and the command that carries it out. */

describe('the surface', () => {
  it('gives every operation a command', async () => {
    const commands = new Map<string, string>();
    for (const { path, command } of await leaves()) {
      const { operation } = command;
      if (operation !== undefined) commands.set(operation.route, path);
    }
    const lines = allOperations.map(({ route }) => {
      return `${route} → ${commands.get(route) ?? 'NO COMMAND'}`;
    });
    expect(lines.filter((line) => line.endsWith('NO COMMAND'))).toEqual([]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./surface.txt');
  });
});
