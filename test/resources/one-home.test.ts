import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { WHOLE_IDS } from '../../src/api/plan.ts';
import { contract } from '../../src/resources/contract.ts';
import { expense } from '../../src/resources/expense.ts';
import { expenseCategory } from '../../src/resources/expense-category.ts';
import { leave } from '../../src/resources/leave.ts';
import { leavePolicy } from '../../src/resources/leave-policy.ts';
import { member } from '../../src/resources/member.ts';
import { project } from '../../src/resources/project.ts';
import { ARCHIVED, defineResource, type Resource } from '../../src/resources/resource.ts';
import { task } from '../../src/resources/task.ts';
import { timeRequest } from '../../src/resources/time-request.ts';
import { timesheet } from '../../src/resources/timesheet.ts';
import { viewer } from '../../src/resources/viewer.ts';
import { webhook } from '../../src/resources/webhook.ts';
import { workspace } from '../../src/resources/workspace.ts';

/** States and words of resources are told in src/resources alone; the sandbox's rules are its own code. */

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** Of those with one noun the one that its commands are about comes first. */
const RESOURCES: readonly Resource[] = [
  contract,
  expense,
  expenseCategory,
  leave,
  leavePolicy,
  member,
  project,
  task,
  timeRequest,
  timesheet,
  viewer,
  webhook,
  workspace,
];

/** States that are words of other things too; the rest is the service's alone. */
const COMMON = new Set(['open', 'left', 'unknown']);

/** Files that mean something else by such a word. */
const OTHERS: Readonly<Record<string, string>> = {
  'close/finding.ts': 'a finding is called so',
  'close/sheets.ts': 'a finding is called so',
  'commands/close/help.ts': 'a finding is called so',
  'commands/status/show-status.ts': 'what is pending is a part of the status',
  'output/palette.ts': 'the colour of every word that tells a state, of jobs and findings too',
  'changes/temporary-resource.ts': 'a promise is rejected',
  'commands/sandbox/webhooks.ts': 'a delivery is pending',
  'commands/webhooks/received.ts': 'a delivery is pending',
  'commands/webhooks/replay.ts': 'a delivery is pending',
  'webhooks/delivery.ts': 'a delivery is pending',
  'webhooks/receiver.ts': 'a delivery is pending',
};

const states = new Set(
  [ARCHIVED, ...RESOURCES.flatMap(({ states = [] }) => states)].filter((state) => !COMMON.has(state)),
);

const plurals = new Set(RESOURCES.map(({ words }) => words[1]));

/** As a value: not the title of a column, which is a heading and may be any word. */
const literalsIn = (file: string): readonly string[] => {
  const code = readFileSync(join(SRC, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/\btitle: '[^']*'/g, '');
  const said = [...code.matchAll(/'([\w -]+)'/g)].flatMap(([, text = '']) => (states.has(text) ? text : []));
  const called = [...code.matchAll(/noun: '([\w ]+)'|\['[\w ]+', '([\w ]+)'\]/g)]
    .map(([, list, pair]) => list ?? pair ?? '')
    .filter((text) => plurals.has(text));
  return [...said, ...called].map((text) => `${file}: ${text}`);
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !/^(resources|sandbox)\//.test(name));

it('an id in a path is a whole number where the record has one', () => {
  const numbered = allOperations().flatMap(({ id, path }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const noun = (name: string) => (name === 'userId' ? member.noun : id.split('.')[0]);
    return names.filter(
      (name) => RESOURCES.find((one) => one.noun === noun(name))?.fields.id?.type === 'integer',
    );
  });
  expect([...new Set(numbered)].sort()).toEqual([...WHOLE_IDS].sort());
});

it('states and words of resources stand nowhere else', () => {
  expect(states.size).toBeGreaterThan(5);
  const found = files.filter((file) => OTHERS[file] === undefined).flatMap(literalsIn);
  expect(found).toEqual([]);
});

it('every exception is one', () => {
  expect(Object.keys(OTHERS).filter((file) => literalsIn(file).length === 0)).toEqual([]);
});

it('a transition to a state that the resource does not have does not compile', () => {
  const known = { noun: 'lamps', words: ['lamp', 'lamps'], fields: {}, states: ['off', 'on'] } as const;
  const light = { verb: ['light', 'lit'], from: 'off', asks: false } as const;
  expect(defineResource({ ...known, transitions: { light: { ...light, to: 'on' } } })).toMatchObject(known);
  // @ts-expect-error: no state of a lamp
  defineResource({ ...known, transitions: { light: { ...light, to: 'bright' } } });
});

it('a transition leads from one state of its resource to another', () => {
  for (const { noun, states = [], transitions = {} } of RESOURCES) {
    for (const [verb, { from, to, verb: words, back }] of Object.entries(transitions)) {
      expect([noun, words[0], states.includes(from), states.includes(to)]).toEqual([noun, verb, true, true]);
      if (back !== undefined) expect(transitions[back]).toMatchObject({ from: to, to: from, back: verb });
    }
  }
});
