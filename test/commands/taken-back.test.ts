import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { envelope, serviceEnv, startRecorder } from '../support/service.ts';
import { sitDown } from '../support/terminal.ts';

/** After a move that another one takes back a person is told with which command: of many records for the first three. */

it.each([
  ['t1', 't1'],
  ['t1 t2 t3', 't1 t2 t3'],
  ['t1 t2 t3 t4 t5', 't1 t2 t3'],
])('timesheets submit %s', async (ids, named) => {
  const recorder = await startRecorder(() => ({ body: envelope(null) }));
  const { screen, exit } = await sitDown(['timesheets', 'submit', ...ids.split(' '), '--yes'], {
    env: serviceEnv(recorder),
    answer: () => '\x03',
  });
  await recorder.close();
  expect(exit, screen).toBe(0);
  expect(/Undo with: (.*)/.exec(stripVTControlCharacters(screen))?.[1]).toBe(
    `ttctl timesheets unsubmit ${named}`,
  );
});
