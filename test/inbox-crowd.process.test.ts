import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary } from './support/process.ts';
import { type SandboxServer, startSandboxServer } from './support/sandbox-server.ts';
import { openTerminal, type Terminal } from './support/terminal.ts';

/** `ttctl inbox` at a real terminal before a server on which much is waiting, and what is decided there afterwards. */

let home: Home;
let server: SandboxServer | undefined;
beforeEach(() => {
  home = cleanHome();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  home.remove();
});

const OWNER = { email: 'owner@example.com', firstname: 'Ona', lastname: 'Vance', role: 'Owner' };
const emailOf = (n: number): string => `m${n}@example.com`;
/** `Person 007` */
const nameOf = (n: number): string => `Person ${String(n).padStart(3, '0')}`;

interface Sheet {
  /** Number of the member. */
  readonly of: number;
  readonly daysAgo: number;
  readonly hours: number;
}

/** A sandbox of so many members in which these timesheets of a day are waiting. */
const start = async (people: number, sheets: readonly Sheet[]): Promise<SandboxServer> => {
  const members = Array.from({ length: people }, (_, n) => {
    const [firstname, lastname] = nameOf(n).split(' ');
    return { email: emailOf(n), firstname, lastname, weekly_hours_limit: 40 };
  });
  const timesheets = sheets.map(({ of, daysAgo, hours }) => ({
    ...{ member: emailOf(of), status: 'submitted', total_hours: hours },
    ...{ date_from: `-${daysAgo}d`, date_to: `-${daysAgo}d` },
  }));
  const file = join(home.folder, 'seed.json');
  writeFileSync(file, JSON.stringify({ members: [OWNER, ...members], timesheets }));
  server = await startSandboxServer({ seed: file });
  return server;
};

const env = () => ({ ...home.env, ...server?.env, TTCTL_RATE_LIMIT: 'off' });

/** Each with its state and its reason, by name of the member. */
const listSheets = async () => {
  const { stdout, stderr } = await runBinary(['timesheets', 'list', '--columns', '+member.name', '--json'], {
    env: env(),
  });
  expect(stderr).toBe('');
  const rows: { status: string; reject_reason: string | null; member: { name: string }; id: string }[] =
    JSON.parse(stdout);
  return rows;
};

/** What was asked of the server beside reads. */
const listWrites = () =>
  (server?.exchanges ?? []).flatMap(({ route = '', status }) =>
    route.startsWith('GET') ? [] : [`${route} ${status}`],
  );

const plain = (screen: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
  screen.replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, '');

/** Types, and waits for a whole frame with the cursor on the item of this person, at this place (from 1) or about it. */
const goTo = async (terminal: Terminal, keys: string, at: number, name: string) => {
  await terminal.press(keys, (screen) => {
    const frame = plain(screen.slice(screen.lastIndexOf('Inbox: ')));
    const [, first, last, count] = /(\d+)–(\d+) of (\d+)[\s\S]*q quit/.exec(frame)?.map(Number) ?? [];
    const current = /›[^\n│]*(Person \d+)/.exec(frame)?.[1];
    expect([count, current, (first ?? 0) <= at && at <= (last ?? 0)]).toEqual([2_000, name, true]);
  });
};

describe('with 2,000 timesheets that wait', () => {
  const [PEOPLE, SHEETS, FLAGGED] = [200, 2_000, 1_500];
  /** The oldest first, each of another day. */
  const nameAt = (place: number): string => nameOf((place - 1) % PEOPLE);
  const sheets = Array.from({ length: SHEETS }, (_, n) => ({
    ...{ of: n % PEOPLE, daysAgo: SHEETS + 7 - n, hours: n + 1 === FLAGGED ? 0 : 7.5 },
  }));

  it('goes anywhere, loses no key, filters, selects, and sends the one decision', async () => {
    await start(PEOPLE, sheets);
    const terminal = openTerminal(['inbox'], { env: env(), columns: 120 });
    await terminal.until(/Inbox: 2000 waiting/);
    await goTo(terminal, 'j', 2, nameAt(2));
    await goTo(terminal, 'G', SHEETS, nameAt(SHEETS));
    await goTo(terminal, 'g', 1, nameAt(1));
    await goTo(terminal, 'j'.repeat(40), 41, nameAt(41));
    await goTo(terminal, 'k'.repeat(22), 19, nameAt(19));
    await goTo(terminal, 'n', FLAGGED, nameAt(FLAGGED));
    await terminal.press('/M17@', /10 shown: "M17@"/);
    await terminal.press('\r', /10 shown: "M17@"[\s\S]*q quit/);
    await terminal.press('A', /10 selected/);
    await terminal.press('\x1b', (screen) => expect(screen).toMatch(/waiting, 10 shown[\s\S]*q quit/));
    await terminal.press('\x1b', /Inbox: 2000 waiting[^,]*\n[\s\S]*q quit/);
    await goTo(terminal, 'n', FLAGGED, nameAt(FLAGGED));
    await goTo(terminal, ' ', FLAGGED + 1, nameAt(FLAGGED + 1));
    await terminal.press('G', /1 selected/);
    await terminal.press('a', /1 to approve/);
    const review = plain(await terminal.press('S', /Enter to send/));
    expect(review).toMatch(/Approve 1 \(1 with warnings\)[\s\S]*it has no hours[\s\S]*1999 left undecided/);
    terminal.type('\r');
    const { exit, screen, restored } = await terminal.ended;
    expect([exit, restored], screen.slice(-2_000)).toEqual([0, true]);
    expect(plain(screen)).toMatch(/1999 still waiting: ttctl inbox/);
    expect(listWrites()).toEqual(['PUT /timesheets/{timesheetId}/approve 200']);
    const decided = (await listSheets()).filter(({ status }) => status !== 'submitted');
    expect(decided).toMatchObject([{ status: 'approved', member: { name: nameAt(FLAGGED) } }]);
  });
});

describe('with 42 timesheets that wait', () => {
  /** Sends keys, and counts them; what is written as text is a name or a reason. */
  const createTypist = (terminal: Terminal) => {
    let keys = 0;
    return {
      count: () => keys,
      async press(key: string, shows: RegExp) {
        expect(key).toHaveLength(1);
        keys += 1;
        return terminal.press(key, shows);
      },
      write: (text: string, shows: RegExp) => terminal.press(text, shows),
    };
  };

  it('approves 40 and rejects 2 with 12 keys beside names and reasons; one screen is review and question', async () => {
    await start(
      42,
      Array.from({ length: 42 }, (_, n) => ({ of: n, daysAgo: 50 - n, hours: 7.5 })),
    );
    const terminal = openTerminal(['inbox'], { env: env() });
    await terminal.until(/Inbox: 42 waiting[\s\S]*q quit/);
    const typist = createTypist(terminal);
    await typist.press('A', /42 selected/);
    await typist.press('a', /42 to approve/);
    for (const [n, reason] of [
      [7, 'Friday is missing'],
      [30, 'Wrong project'],
    ] as const) {
      await typist.press('/', /Filter: /);
      await typist.write(nameOf(n), new RegExp(`Filter: ${nameOf(n)}`));
      await typist.press('\r', /1 shown: [\s\S]*q quit/);
      await typist.press('r', new RegExp(`Reject ${nameOf(n)}\\. Reason[\\s\\S]*> `));
      await typist.write(reason, new RegExp(`> ${reason}`));
      await typist.press('\r', n === 7 ? /41 to approve, 1 to reject/ : /40 to approve, 2 to reject/);
    }
    const review = plain(await typist.press('S', /Enter to send/));
    expect(review).toContain('Approve 40 and reject 2');
    expect(review).toMatch(
      /Reject 2[\s\S]*Person 007 [\s\S]*"Friday is missing"[\s\S]*Person 030 [\s\S]*"Wrong project"/,
    );
    await typist.press('\r', /40 approved, 2 rejected/);
    const { exit, screen } = await terminal.ended;
    expect(exit, screen.slice(-2_000)).toBe(0);
    expect(screen).not.toMatch(/\(y\/N\)/);
    expect(typist.count()).toBeLessThanOrEqual(12);
    const after = await listSheets();
    expect(after).toHaveLength(42);
    expect(after.filter(({ status }) => status === 'approved')).toHaveLength(40);
    const rejected = after.filter(({ status }) => status === 'rejected');
    expect(rejected.map((sheet) => [sheet.member.name, sheet.reject_reason]).sort()).toEqual([
      ['Person 007', 'Friday is missing'],
      ['Person 030', 'Wrong project'],
    ]);
  });
});
