import { beforeEach, expect, it } from 'vitest';
import { listRuns } from '../../src/changes/history/runs.ts';
import { JobStore } from '../../src/changes/job/store.ts';
import { realClock } from '../../src/platform/machine.ts';
import { makeFolder } from '../support/folder.ts';

/** The history is in the order of time, in which single writes and runs of many take turns within a minute. */

const START = Date.parse('2026-11-21T09:00:00Z');
let now: number;
let directory: string;
let store: JobStore;

beforeEach(() => {
  now = START;
  directory = makeFolder();
  store = new JobStore({
    folder: directory,
    clock: { ...realClock, now: () => now },
    interrupted: new AbortController().signal,
    version: '0',
    getCommand: () => '',
    wanted: true,
    redact: (value) => value,
    warn: () => {},
  });
});

const head = () => ({ type: 'job', version: 1, rows: 1, started_at: new Date(now).toISOString() });

const writeOne = async (): Promise<string> => {
  now += 1;
  const single = store.single(() => [head()]);
  await single.note({ n: 0, state: 'done' });
  return single.id;
};

const runMany = (): Promise<string> => {
  now += 1;
  return store.create(
    () => [head()],
    async ({ id }) => id,
  );
};

it('has the latest first, whatever ids runs of one minute got by chance', async () => {
  const ids: string[] = [];
  for (const begin of [writeOne, runMany, writeOne, writeOne, runMany, runMany, runMany, writeOne])
    ids.push(await begin());
  now += 60_000;
  ids.push(await writeOne(), await runMany());
  expect([...listRuns(store)].map(({ id }) => id)).toEqual(ids.reverse());
});
