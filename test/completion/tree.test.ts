import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { answerLines, offers, values } from '../support/completing.ts';
import { leaves, loadProgram } from '../support/tree.ts';

/** What the tree of commands gives every shell: commands, flags, words. */

const nothing = { TTCTL_STATE_DIR: '/nowhere', TTCTL_CACHE_DIR: '/nowhere', TTCTL_CONFIG_DIR: '/nowhere' };
const all = await leaves();
const program = await loadProgram();

/** The candidates of an answer, behind the lines before them. */
const candidates = (before: number, args: readonly string[], env = nothing) =>
  answerLines(args, env).slice(before).filter(Boolean);

/** What each shell offers behind these words for the begin of a word. */
const shells: Readonly<Record<string, (before: readonly string[], typed: string) => readonly string[]>> = {
  bash: (before, typed) => candidates(1, ['bash', ['ttctl', ...before, typed].join(' '), typed, '9', '80']),
  zsh: (before, typed) => values([...before, typed], nothing),
  fish: (before, typed) => candidates(2, ['fish', ...before, typed]).map((line) => line.split('\t')[0] ?? ''),
  powershell: (before, typed) => {
    const env = { ...nothing, TTCTL_COMPLETE_WORDS: [...before, typed].join('\u001f') };
    const answer = JSON.parse(answerLines(['powershell'], env).join('\n'));
    return answer.candidates.map(({ list }: { list: string }) => list);
  },
};

describe.each(Object.entries(shells))('%s reaches', (_shell, offered) => {
  it('every command by its words, and every other name of one', () => {
    const paths = all.map(({ path }) => path.split(' '));
    const missing = paths.flatMap((path) =>
      path.filter((word, index) => !offered(path.slice(0, index), word.slice(0, 2)).includes(word)),
    );
    expect(missing).toEqual([]);
    expect(offered([], 'project-')).toEqual(['project-viewers']);
    expect(offered([], 'track')).toEqual(['tracker']);
    expect(offered(['members'], 'del')).toEqual(['delete']);
    expect(offered(['project-viewers'], 'ass')).toContain('assign');
  });

  it('every flag of every command, long and short', () => {
    const global = program.flags.filter(({ name }) => name !== 'version');
    const missing = all.flatMap(({ path, command }) => {
      const found = new Set(offered(path.split(' '), '-'));
      const wanted = [...command.flags, ...global].flatMap(({ name, short }) => [
        `--${name}`,
        ...(short === undefined ? [] : [`-${short}`]),
      ]);
      return [...wanted, '--help', '-h'].filter((name) => !found.has(name));
    });
    expect(missing).toEqual([]);
    expect(all.length).toBeGreaterThan(80);
    expect(offered([], '--v')).toContain('--version');
  });

  it('the choices of every flag that has some, behind a space and behind =', () => {
    expect(offered(['members', 'list', '--role'], 'reg')).toContain('regular-user');
    expect(offered(['-o'], '').toSorted()).toEqual(FORMAT_NAMES.toSorted());
    expect(offered(['members', 'list', '--output'], 'nd')).toContain('ndjson');
    expect(offered(['members', 'list'], '--role=reg').join(' ')).toContain('regular-user');
  });
});

it('flags have their words, are not offered twice unless they repeat, and never against each other', () => {
  const first = offers(['expenses', 'create', '--'], nothing);
  expect(first).toContainEqual({ value: '--amount', about: 'amount; required' });
  expect(first.map(({ value }) => value)).toEqual(expect.arrayContaining(['--billable', '--no-billable']));
  const later = values(['expenses', 'create', '--billable', '--amount', '3', '-y', '--'], nothing);
  for (const gone of ['--amount', '--billable', '--no-billable', '--yes', '-y'])
    expect(later).not.toContain(gone);
  expect(values(['webhooks', 'create', '--event', 'x', '--ev'], nothing)).toContain('--event');
});

it('flags are those of the command that is named, not of the one above it', () => {
  const found = values(['inbox', 'decide', '--'], nothing);
  expect(found).toEqual(expect.arrayContaining(['--rules', '--member']));
  expect(found.filter((value) => ['--where', '--limit', '--discard-draft'].includes(value))).toEqual([]);
});

it('flags are not offered for what follows a flag that takes a value, nor behind --', () => {
  expect(values(['members', 'list', '--limit', '-'], nothing)).toEqual([]);
  expect(values(['members', 'list', '--', '-'], nothing)).toEqual([]);
});

it.each([
  ['-yqo', 'csv'],
  ['-yq', '-ocsv'],
  ['--output=csv', '-y'],
])('flags are read in %s %s', (...words) => {
  const left = values(['members', 'list', ...words, '-'], nothing);
  expect(left).not.toContain('--output');
  expect(left).toContain('--role');
});

it('values are fields where fields are named, several with commas, none twice', () => {
  expect(values(['members', 'list', '--sort', ''], nothing)).toContain('current_role');
  expect(values(['members', 'list', '--columns', 'id,'], nothing)).toContain('email');
  expect(values(['members', 'list', '--columns', 'id,'], nothing)).not.toContain('id');
  expect(values(['members', 'list', '--columns', '+id,-em'], nothing)).toContain('email');
  expect(values(['members', 'list', '--columns', '+id,-em'], nothing)).not.toContain('id');
  expect(answerLines(['zsh', 'members', 'list', '--columns=id,'], nothing)[1]).toBe('--columns=id,');
});

it.each([
  [['leaves', 'list', '--paid', ''], 'yes'],
  [['tasks', 'list', '--status', ''], 'in-progress'],
  [['timesheets', 'list', '--period', ''], 'last-week'],
  [['timesheets', 'list', '--date-from', ''], 'yesterday'],
  [['webhooks', 'create', '--event', ''], 'tracker.started'],
  [['webhooks', 'listen', '--event', 'tracker.started,'], 'member.invited'],
  [['inbox', '--kind', 'leave,'], 'timesheet'],
  [['timesheets', 'list', '--group-by', ''], 'status'],
  [['timesheets', 'list', '--sum', ''], 'total_hours'],
  [['sandbox', 'webhooks', 'deliveries', '--status', ''], 'pending'],
  [['sandbox', 'webhooks', 'trigger', ''], 'tracker.started'],
  [['auth', 'login', '--scope', 'read,'], 'write'],
  [['auth', 'login', '--client-auth', ''], 'basic'],
  [['sandbox', 'start', '--seed', ''], 'month-end'],
  [['sandbox', 'app', 'create', '--grant', ''], 'client-credentials'],
  [['api', ''], 'PATCH'],
  [['api', 'GET', ''], '/time-requests'],
  [['profile', 'set', '--timezone', 'Europe/L'], 'Europe/Lisbon'],
  [['schema', 'timesheets', ''], 'approve'],
  [['help', 'timesheets', ''], 'approve'],
  [['timesheets', 'help', ''], 'approve'],
  [['profile', 'use', ''], 'sandbox'],
])('values of %j: %s', (words, value) => {
  expect(values(words, nothing)).toContain(value);
});

it.each([
  [['members', 'invite', '--from-file', ''], 'files'],
  [['members', 'invite', '--from-file=x'], 'files'],
  [['api', 'POST', '/members', '--input', ''], 'files'],
  [['sandbox', 'start', '--state', ''], 'files'],
  [['webhooks', 'listen', '--store', ''], 'files'],
  [['sandbox', 'exec', '--', 'cat', ''], 'files'],
  [['members', 'list', '--role', ''], ''],
])('values of %j: the shell adds %j', (words, files) => {
  expect(answerLines(['zsh', ...words], nothing)[2]).toBe(files);
});
