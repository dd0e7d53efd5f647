import { describe, expect, it } from 'vitest';
import { onePage } from '../support/service.ts';
import { ask } from '../support/use-cli.ts';

/**
 * Assign takes `workspace_id` and `project_id` in the body; the others name no place for them.
 * Fields, and the numbers of status and priority: docs/service.md, Tasks.
 */

describe('tasks', () => {
  it.each([
    ['tasks list', 'missing --project'],
    ['tasks create --title A', 'missing --project'],
    ['tasks assign 17 --member 12', 'missing --project'],
    ['tasks unassign 17 --member 12', 'missing --project'],
    ['tasks assign 17 --project 5', 'missing --member'],
    ['tasks archive --all --yes', 'missing --project'],
    ['tasks archive 17 --status done --yes', 'filters need --all'],
    ['tasks assign 17 --project 5 --member 12,13', 'assigning 2 members'],
    ['tasks update 17 --project 5', 'nothing to change'],
  ])('%s: %s, before any request', async (command, message) => {
    const { exit, stderr, lines } = await ask(command);
    expect([exit, stderr, lines]).toEqual([2, expect.stringContaining(message), []]);
  });

  it('are shown with words for numbers, also unknown ones, and names where there are some', async () => {
    const rows = [
      { id: 1, title: 'A', status: 10, priority: 40, assignees: [{ firstname: 'Ana', lastname: 'Sá' }, 12] },
      { id: 2, title: 'B', status: 15, priority: null, assignees: [] },
    ];
    const bo = { id: 12, firstname: 'Bo', lastname: 'Li' };
    const { stdout } = await ask('tasks list --project 5', ({ line }) => ({
      body: onePage(line.startsWith('GET /members') ? [bo] : rows),
    }));
    expect(stdout).toBe(
      [
        'TITLE  STATUS       PRIORITY  ASSIGNEES      DUE  ID',
        'A      in-progress  low       Ana Sá, Bo Li  -     1',
        'B      15           -         -              -     2',
        '',
      ].join('\n'),
    );
  });
});
