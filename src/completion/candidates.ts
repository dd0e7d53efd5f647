import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVED, isNamedKind, listStateWords, type RecordKind } from '../api/fields.ts';
import { timesheet } from '../api/records.ts';
import { countOpen, countRows, formatEntryId, parseRun } from '../changes/journal.ts';
import { type Environment, resolveDirectories } from '../config/environment.ts';
import { resolveSettings } from '../config/settings.ts';
import { readSettings } from '../config/store.ts';
import { safeCell } from '../output/safe-text.ts';
import { isRecordId } from '../parsing/names.ts';
import type { World } from '../sandbox/world.ts';
import { readSmall } from '../storage/own-files.ts';
import { type RecordEntry, readEntries, toRecordEntry } from './names.ts';
import type { Candidate, PlainLine, PlainValue } from './plain.ts';

/** What this machine knows of values that change: a cache, files of its own. Nothing is asked for, nothing written. */

export interface CompletionEnvironment {
  readonly env: Environment;
  readonly platform: string;
  readonly home: string | undefined;
}

/** What cannot be read now is not offered: that a settings file is damaged is told by the commands. */
export function findCandidates(
  value: PlainValue,
  line: PlainLine,
  typed: string,
  environment: CompletionEnvironment,
): readonly Candidate[] {
  try {
    return listSource(value, line, typed, environment);
  } catch {
    return [];
  }
}

function listSource(
  value: PlainValue,
  line: PlainLine,
  typed: string,
  { env, platform, home }: CompletionEnvironment,
): readonly Candidate[] {
  const { source } = value;
  if (source === undefined || source === 'command') return [];
  if (source === 'time-zone')
    return ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone }));
  const { config, state = '', cache = '' } = resolveDirectories(env, platform, home);
  const file = readSettings(config && join(config, 'settings.json'));
  if (source === 'profile') {
    const profiles = Object.entries(file.profiles).map(([name, { base_url: about }]) => ({
      value: name,
      about,
    }));
    const sandbox = { value: 'sandbox', about: 'run the whole service locally, for trials and tests' };
    return 'sandbox' in file.profiles ? profiles : [...profiles, sandbox];
  }
  // What else is in the environment may be wrong without harm.
  const { TTCTL_PROFILE, TTCTL_BASE_URL, TTCTL_WORKSPACE } = env;
  const settings = resolveSettings({
    flags: { profile: line.getValue('--profile'), workspace: line.getValue('--workspace') },
    env: { TTCTL_PROFILE, TTCTL_BASE_URL, TTCTL_WORKSPACE },
    file,
  });
  switch (source) {
    case 'job':
    case 'open-job':
      return listRuns(state)
        .filter(({ rows }) => (source === 'job' && rows.length > 1) || countOpen(countRows(rows)) > 0)
        .map(({ id, about }) => ({ value: id, about }));
    case 'run':
    case 'entry':
      return listRuns(state).flatMap(({ id, about, rows }): readonly Candidate[] => {
        if (rows.length === 1) return [{ value: formatEntryId(id, 0), about }];
        const own = rows.map(({ n, target }) => ({ value: formatEntryId(id, n - 1), about: target }));
        return [...(source === 'entry' ? own : []), { value: id, about }];
      });
    case 'delivery':
      return listDeliveries(line.getValue('--store') ?? join(state, 'webhooks'));
    case 'sandbox-snapshot': {
      // The snapshots of the server that runs, else of the embedded sandbox.
      const isServed = !settings.embedded && existsSync(join(state, 'sandbox.json'));
      const folder = isServed || line.getValue('--url') !== undefined ? state : join(state, 'sandbox');
      const names = listNames(join(folder, 'sandbox-snapshots'), /^(.+)\.snapshot$/);
      return names.map((name) => ({ value: name }));
    }
    case 'sandbox-delivery':
      return (readWorld(state).deliveries ?? [])
        .toReversed()
        .map(({ id, event, status }) => ({ value: id, about: `${event}, ${status}` }));
    case 'sandbox-person':
      return Object.values(readWorld(state).users)
        .flatMap((user) => toRecordEntry('member', { ...user }) ?? [])
        .map(({ word = '', about }) => ({ value: word, about }));
    case 'sandbox-token': {
      // By the name that one alone has, else by id.
      const { tokens, users } = readWorld(state);
      const valid = Object.values(tokens).filter(({ revoked }) => !revoked);
      return valid.map(({ id, name, user_id, scopes }) => ({
        value: valid.filter((other) => other.name === name).length === 1 ? name : String(id),
        about: [users[String(user_id)]?.email, ...scopes].join(', '),
      }));
    }
    default: {
      const { profile, embedded, baseUrl, workspace } = settings;
      const scope = { profile: profile.value, base: baseUrl?.value ?? '' };
      const read = (kind: RecordKind): readonly RecordEntry[] => {
        if (embedded) return listWorldEntries(readWorld(state), kind, workspace?.value);
        const workspaces = readEntries(cache, 'workspace', { ...scope, workspace: '' });
        if (kind === 'workspace') return workspaces;
        const id = findId(workspace?.value, () => workspaces);
        return id === undefined ? [] : readEntries(cache, kind, { ...scope, workspace: id });
      };
      return listRecords(source, value, line, typed, read);
    }
  }
}

/** Names of files in a folder, sorted, as far as the pattern captures them; none where it cannot be read. */
function listNames(folder: string, pattern: RegExp): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => pattern.exec(name)?.slice(1, 2) ?? [])
    .sort();
}

/** A larger file is not looked at for a completion. */
const MAX_BYTES = 512 * 1024;
const MAX_DELIVERIES = 50;

function listDeliveries(folder: string): readonly Candidate[] {
  return listNames(folder, /^(delivery\.[0-9a-f]{32}\.json)$/)
    .map((name) => ({ file: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_DELIVERIES)
    .flatMap(({ file }): readonly Candidate[] => {
      try {
        const { id, event, received_at } = JSON.parse(readSmall(file, MAX_BYTES) ?? '{}');
        return typeof id === 'string' ? [{ value: id, about: `${event}, ${received_at}` }] : [];
      } catch {
        return [];
      }
    });
}

const MAX_RUNS = 60;

/** The latest runs of this machine, the latest first, as far as they can be read. */
function listRuns(state: string) {
  const folder = join(state, 'runs');
  const files = listNames(folder, /^(\d{4}-\d\d)$/).flatMap((month) =>
    listNames(join(folder, month), /^(\d{8}-\d{4}-[a-z]{3,})\.jsonl$/).map((id) => ({ month, id })),
  );
  const runs = files.slice(-MAX_RUNS).flatMap(({ month, id }) => {
    const { head, rows } = parseRun(readSmall(join(folder, month, `${id}.jsonl`), MAX_BYTES) ?? '');
    return head === undefined ? [] : [{ id, rows, at: head.created_at, about: head.command }];
  });
  return runs.sort((a, b) => (a.at < b.at ? 1 : -1));
}

const MAX_WORLD_BYTES = 4 * 1024 * 1024;

/** The embedded sandbox, straight from its state file. @throws Error where there is none that can be read */
function readWorld(state: string): World {
  const world = JSON.parse(readSmall(join(state, 'sandbox', 'world.json'), MAX_WORLD_BYTES) ?? '{}');
  if (world.version !== 1) throw new Error('no sandbox of this version');
  return world;
}

const WORLD_LISTS = {
  member: 'members',
  viewer: 'members',
  contract: 'contracts',
  project: 'projects',
  task: 'tasks',
  timesheet: 'timesheets',
  leave: 'leaves',
  policy: 'leave_policies',
  'time-request': 'time_requests',
  expense: 'expenses',
  category: 'categories',
  webhook: 'webhooks',
} as const;

/** The records as the API shows them. @param wanted id or name of a workspace; undefined: the first */
function listWorldEntries({ spaces, users }: World, kind: RecordKind, wanted: string | undefined) {
  const all = Object.values(spaces);
  if (kind === 'workspace') return all.flatMap((row) => toRecordEntry(kind, { ...row }) ?? []);
  const workspace =
    wanted === undefined
      ? all[0]
      : all.find(
          ({ id, workspace_name: name }) => `${id}` === wanted || name.toLowerCase() === wanted.toLowerCase(),
        );
  if (workspace === undefined) return [];
  const rows: readonly Record<string, unknown>[] = Object.values(workspace[WORLD_LISTS[kind]]);
  return rows.flatMap((row) => {
    const user = users[String(row['user_id'])];
    if (kind === 'member' || kind === 'viewer') {
      if ((row['role'] === 'Project viewer') !== (kind === 'viewer')) return [];
      return toRecordEntry(kind, { ...row, ...user, id: row['user_id'] }) ?? [];
    }
    const names = { user_firstname: user?.firstname, user_lastname: user?.lastname };
    const project_name = workspace.projects[String(row['project_id'])]?.name;
    return toRecordEntry(kind, { ...row, ...names, project_name }) ?? [];
  });
}

const OWNED: ReadonlySet<RecordKind> = new Set(['timesheet', 'leave', 'time-request']);

/** Every record that matches, by its word, or by its id where no word means it or the id is what is being typed. */
function listRecords(
  kind: RecordKind,
  { state: expected, list }: PlainValue,
  line: PlainLine,
  typed: string,
  read: (kind: RecordKind) => readonly RecordEntry[],
): readonly Candidate[] {
  const entries = read(kind);
  if (entries.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { word = '' } of entries)
    counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1);
  // Whose it is, beside what the record says of itself.
  const ownerKind = OWNED.has(kind) ? 'member' : kind === 'task' ? 'project' : undefined;
  const owners = new Map(
    (ownerKind ? read(ownerKind) : []).map(({ id, about, word }) => [id, about ?? word]),
  );
  const project = findId(line.getValue('--project'), () => read('project'));
  const member = findId(line.getValue('--member'), () => read('member'));
  const isMeant = (own: string | undefined, given: string | undefined): boolean =>
    own === undefined || given === undefined || own === given;
  const matching = entries.filter(
    (entry) =>
      isInState(entry.state, expected) && isMeant(entry.project, project) && isMeant(entry.member, member),
  );
  return matching.flatMap((entry): readonly Candidate[] => {
    const { id, word = '', about, state } = entry;
    const owner = owners.get((ownerKind === 'project' ? entry.project : entry.member) ?? '');
    const details = kind === 'task' ? [about, owner] : [owner, about];
    if (OWNED.has(kind) && expected === undefined) details.push(state);
    const describe = (last: string) =>
      [...details, last].filter((part) => part?.trim()).join(', ') || undefined;
    const isNamed =
      counts.get(word.toLowerCase()) === 1 && isUsable(kind, word) && !(list && word.includes(','));
    const byWord = isNamed ? [{ value: word, about: describe(`id ${id}`) }] : [];
    const needsId = (!isNamed || (typed !== '' && id.startsWith(typed))) && !id.startsWith('-');
    return needsId ? [...byWord, { value: id, about: describe(word) }] : byWord;
  });
}

/** Nothing that hides in the line, moves it about, is a control, or would be taken for an id. */
function isUsable(kind: RecordKind, word: string): boolean {
  if (safeCell(word) !== word || word.trim() === '' || word.startsWith('-')) return false;
  return kind === 'workspace' ? !/^\d+$/.test(word) : isNamedKind(kind) && !isRecordId(kind, word);
}

function findId(text: string | undefined, entries: () => readonly RecordEntry[]): string | undefined {
  if (text === undefined || /^\d+$/.test(text)) return text;
  return entries().find(({ id, word }) => id === text || word?.toLowerCase() === text.toLowerCase())?.id;
}

function isInState(state: string | undefined, expected: string | undefined): boolean {
  if (expected === 'any') return true;
  if (expected === undefined || expected === ARCHIVED)
    return (state === ARCHIVED) === (expected === ARCHIVED);
  return state === undefined || listStateWords(timesheet, expected).includes(state);
}
