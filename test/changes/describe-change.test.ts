import { expect, it } from 'vitest';
import type { ApiCall } from '../../src/api/client.ts';
import type { Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations.ts';
import { describeChange } from '../../src/changes/describe-change.ts';
import { capture } from '../output/capture.ts';

/** What an update says that it has set: names of the document, values as tables have them. */

const said = (operation: Operation, values: object) =>
  describeChange(capture('table').output, { call: { operation } as ApiCall, after: { ...values } });

it('shows days and hours as tables do', async () => {
  const values = {
    name: 'Ferry',
    start_date: '2026-11-09',
    deadline: '2027-01-05',
    estimation: 40.5,
    budget: 31,
  };
  expect(await said(operations.projects.update, values)).toBe(
    'name Ferry, start date Nov 9, deadline Jan 5 2027, estimation 40:30, budget 31',
  );
});

it('shows the words for numbers, and lists', async () => {
  const values = { status: 20, priority: 99, assignees: [4, 5], project_id: undefined };
  expect(await said(operations.tasks.update, values)).toBe('status done, priority 99, assignees 4, 5');
});

it('takes no line and no colour from what was sent', async () => {
  expect(await said(operations.tasks.update, { title: 'a\nb\x1b[2J' })).toBe('title a\\nb\\x1b[2J');
});
