import { describe, expect, it } from 'vitest';
import { allOperations } from '../src/api/operations.ts';
import { ROUTES } from '../src/sandbox/routes.ts';
import { leaves } from './support/tree.ts';

/** The surface as one reviewable file: each operation of the service, its command, and what webhooks hear of it. */

describe('the surface', () => {
  it('gives every operation a command', async () => {
    const commands = new Map<string, string>();
    for (const { path, command } of await leaves()) {
      const { operation } = command;
      if (operation !== undefined) commands.set(operation.route, path);
    }
    const events = new Map(ROUTES.map((route) => [route.route, route.events ?? []]));
    const lines = allOperations.map(({ route }) => {
      const told = events.get(route)?.map((event) => `, ${event}`) ?? [', NOT IN THE SANDBOX'];
      return `${route} → ${commands.get(route) ?? 'NO COMMAND'}${told.join('')}`;
    });
    expect(lines.filter((line) => /NO COMMAND|NOT IN/.test(line))).toEqual([]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./surface.txt');
  });
});
