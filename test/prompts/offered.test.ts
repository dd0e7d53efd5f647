import { afterEach, describe, expect, it } from 'vitest';
import { onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';
import { sitDown } from '../support/terminal.ts';

/** Which records are offered to be picked. */

let recorder: Recorder;
afterEach(() => recorder.close());

const offered = async (command: string, rows: readonly object[]): Promise<string> => {
  recorder = await startRecorder(() => ({ body: onePage(rows) }));
  const { screen } = await sitDown(command.split(' '), { env: serviceEnv(recorder), answer: () => '\x03' });
  return screen;
};

describe('an archived record', () => {
  const projects = [
    { id: 5, name: 'Harbour', deleted_at: null },
    { id: 6, name: 'Lighthouse', deleted_at: '2026-11-01T09:00:00Z' },
  ];
  const members = [
    { id: 17, firstname: 'Ana', lastname: 'Sousa', email: 'ana@x.example', deleted_at: null },
    { id: 18, firstname: 'Ben', lastname: 'Okafor', email: 'ben@x.example', deleted_at: '2026-11-01' },
  ];

  it('is offered to be looked at, with those that are not', async () => {
    const screen = await offered('projects get', projects);
    expect(screen).toContain('Harbour');
    expect(screen).toContain('Lighthouse');
  });

  it('is not offered to be archived, or changed', async () => {
    for (const command of ['projects archive', 'projects update']) {
      const screen = await offered(command, projects);
      expect(screen, command).toContain('Harbour');
      expect(screen, command).not.toContain('Lighthouse');
      await recorder.close();
    }
  });

  it('is all that is offered to be restored', async () => {
    const screen = await offered('members restore', members);
    expect(screen).toContain('Okafor');
    expect(screen).not.toContain('Sousa');
  });
});

it('the owner is not offered to be archived, but to be looked at', async () => {
  const people = ['Owner', 'Regular User'].map((current_role, n) => ({
    id: 17 + n,
    firstname: ['Ana', 'Ben'][n],
    current_role,
    deleted_at: null,
  }));
  const screen = await offered('members archive', people);
  expect(screen).toContain('Ben');
  expect(screen).not.toContain('Ana');
  await recorder.close();
  expect(await offered('members get', people)).toContain('Ana');
});

describe('a timesheet', () => {
  const sheets = ['open', 'pending', 'submitted', 'approved'].map((status, n) => ({
    id: `t${n}`,
    user_id: 17,
    date_from: `2020-11-0${n + 1}`,
    date_to: `2020-11-0${n + 1}`,
    status,
  }));

  it('that is open, or pending as newer services say, is offered to be submitted; no other is', async () => {
    const screen = await offered('timesheets submit', sheets);
    expect(screen).toMatch(/Nov 1 2020[\s\S]*Nov 2 2020/);
    expect(screen).not.toMatch(/Nov [34] 2020/);
  });

  it('that is submitted is offered to be approved; no other is', async () => {
    const screen = await offered('timesheets approve', sheets);
    expect(screen).toContain('Nov 3 2020');
    expect(screen).not.toMatch(/Nov [124] 2020/);
  });
});
