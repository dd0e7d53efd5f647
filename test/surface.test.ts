import { describe, expect, it } from 'vitest';
import { allOperations } from '../src/api/operations.ts';
import { factsOf, leaves } from './support/tree.ts';

/** The surface as one reviewable file: every operation of spec/api.md and the command that carries it out. */

/** Groups whose commands are still to come. */
const TO_COME = [
  'viewers',
  'projects',
  'contracts',
  'tasks',
  'leaves',
  'time-requests',
  'expenses',
  'time-tracking',
  'webhooks',
];

describe('the surface', () => {
  it('gives each of the 58 operations a command', async () => {
    const commands = new Map<string, string>();
    for (const { path, command } of await leaves()) {
      const { operation } = factsOf(command);
      if (operation !== undefined) commands.set(operation.route, path);
    }
    const lines = allOperations.map(({ route, id }) => {
      const none = TO_COME.includes(id.split('.')[0] ?? '') ? '(to come)' : 'NO COMMAND';
      return `${route} → ${commands.get(route) ?? none}`;
    });
    expect(lines).toHaveLength(58);
    expect(lines.filter((line) => line.endsWith('NO COMMAND'))).toEqual([]);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./surface.txt');
  });

  it('names no group as missing that is there', async () => {
    const nouns = new Set((await leaves()).map(({ path }) => path.split(' ')[0] ?? ''));
    expect(TO_COME.filter((noun) => nouns.has(noun))).toEqual([]);
  });
});
