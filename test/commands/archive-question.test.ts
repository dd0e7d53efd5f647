import { expect, it } from 'vitest';
import { words } from '../support/in-process.ts';
import { envelope, onePage } from '../support/service.ts';
import { sitDown } from '../support/terminal.ts';
import { useCli } from '../support/use-cli.ts';

/** Who is about to archive a member reads first whether that is somebody who has just been invited. */

const person = (id: number, firstname: string, status: string, created_at: unknown) => ({
  ...{ id, firstname, lastname: 'Ek', email: `${firstname.toLowerCase()}@example.com` },
  ...{ status, created_at, current_role: 'Regular User', deleted_at: null },
});
const people = [
  person(17, 'Ana', 'inactive', '2026-11-17T23:00:00Z'),
  person(18, 'Bo', 'inactive', '2026-11-20'),
  person(19, 'Cy', 'active', '2024-02-29T08:00:00Z'),
  person(20, 'Di', 'left', 'soon'),
];
/** What stands beside each name. */
const SAID = [
  /Ana Ek .*inactive +invited 2026-11-17/,
  /Bo Ek .*inactive +invited 2026-11-20/,
  /Cy Ek .*active +invited 2024-02-29/,
  /Di Ek .*left/,
];

const t = useCli({
  service: ({ line }) => {
    const id = /^GET \/members\/(\d+)/.exec(line)?.[1];
    if (id !== undefined) return { body: envelope(people.find((one) => one.id === Number(id))) };
    if (line.startsWith('GET /workspaces')) return { body: onePage([{ id: 7, workspace_name: 'N' }]) };
    return { body: onePage(people) };
  },
});
const sit = (line: string, answer: Parameters<typeof sitDown>[1]['answer'] = () => 'n\r') =>
  sitDown(words(line), { env: t.env, columns: 120, answer });

it('asks the same of those that are picked', async () => {
  const { screen } = await sit('members archive', ({ kind }) =>
    kind === 'mark' ? `${' \x1b[B'.repeat(4)}\r` : 'n\r',
  );
  expect(screen).toContain('Archive 4 members? (y/N)');
  for (const said of SAID) expect(screen).toMatch(said);
});

it.each(['--all --role regular-user', '17 18 19 20'])(
  'archiving %s asks with the status of each, and when they were invited; a dry run says the same',
  async (who) => {
    const { screen, prompts } = await sit(`members archive ${who}`);
    expect(prompts).toEqual([{ message: 'Archive 4 members', kind: 'confirm' }]);
    expect(screen).not.toMatch(/invited soon|NaN/);
    expect(t.sent()).toEqual([]);
    const { stdout, exit } = await t.run(`members archive ${who} --dry-run`);
    expect(exit).toBe(0);
    for (const said of SAID) for (const text of [screen, stdout]) expect(text).toMatch(said);
    expect((await sit(`members archive ${who} --dry-run`)).screen).not.toContain('y/N');
  },
);
