import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sitDown } from '../support/at-a-terminal.ts';
import { runInProcess } from '../support/in-process.ts';
import { envelope, onePage, serviceEnv, startRecorder } from '../support/recorder.ts';

/** The beginning of an id as a target: tables on a terminal show no more of it. */

const IDS = [
  '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
  '8c1f2b3a-5d6e-4f70-8a9b-ffffffffffff',
  '0d9be1d5-3c5f-4b5c-9c55-2a3f0f6f8a11',
];
const ROWS = IDS.map((id) => ({ id, status: 'submitted', url: 'https://h.example', events: [] }));

const startService = () =>
  startRecorder(({ line }) => ({
    body: / \/\w[\w-]*\?/.test(line) ? onePage(ROWS) : envelope({ ...ROWS[2] }),
  }));

/** What was sent by a person at a terminal, without queries and bodies. */
const sit = async (...args: string[]) => {
  const service = await startService();
  const sitting = await sitDown(args, { env: serviceEnv(service), answer: () => '' });
  await service.close();
  return {
    ...sitting,
    sent: service.requests.map(({ line }) =>
      line.replace(/\/(approve|reject)?\?.*$|\?.*$|\/(approve|reject)$/, ''),
    ),
  };
};

describe('a shortened id at a terminal', () => {
  it.each([
    ['webhooks get', 'GET /webhooks/'],
    ['time-requests get', 'GET /time-requests/'],
    ['timesheets approve --yes', 'PUT /timesheets/'],
    ['leaves reject --reason no --yes', 'PUT /leaves/'],
    ['expenses delete --yes', 'DELETE /expenses/'],
    ['webhooks delete --yes', 'DELETE /webhooks/'],
    ['expenses update --name Train --date 2026-11-20 --amount 1 --category 4', 'PUT /expenses/'],
    ['webhooks update --url https://h.example --event tracker.stopped', 'PUT /webhooks/'],
  ])('is understood by %s', async (command, start) => {
    const [noun = '', verb = '', ...flags] = command.split(' ');
    const { sent } = await sit(noun, verb, '0d9be1d5', ...flags);
    expect(sent).toContain(`${start}${IDS[2]}`);
  });

  it('that begins several ids is refused, and they are shown', async () => {
    const { sent, exit, screen } = await sit('timesheets', 'approve', '8c1f2b3a', '--yes');
    expect(exit).toBe(2);
    expect(stripVTControlCharacters(screen).replace(/\s+/g, ' ')).toContain(
      `"8c1f2b3a" is the beginning of 2 ids ${IDS[0]} ${IDS[1]} hint: Add`,
    );
    expect(sent.filter((line) => !line.startsWith('GET'))).toEqual([]);
  });

  it('that is nothing is left to the service, and a whole id is looked up nowhere', async () => {
    expect((await sit('webhooks', 'get', '00000000')).sent.at(-1)).toBe('GET /webhooks/00000000');
    expect((await sit('webhooks', 'get', IDS[2] ?? '')).sent).toHaveLength(1);
  });
});

it('without a terminal it is an id like any other', async () => {
  const service = await startService();
  await runInProcess(['webhooks', 'get', '0d9be1d5'], { env: serviceEnv(service) });
  await service.close();
  expect(service.requests.map(({ line }) => line)).toEqual(['GET /webhooks/0d9be1d5?workspace_id=7']);
});
