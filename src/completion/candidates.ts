import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ARCHIVED, isNamedKind, listStateWords, type RecordKind } from '../api/fields.ts';
import { timesheet } from '../api/records.ts';
import { countOpen, countRows, formatEntryId, parseRun } from '../changes/journal.ts';
import { type Environment, resolveDirectories } from '../config/environment.ts';
import { resolveSettings } from '../config/settings.ts';
import { readSettings, type SettingsFile } from '../config/store.ts';
import { safeCell } from '../output/safe-text.ts';
import { isRecordId } from '../parsing/names.ts';
import type { World } from '../sandbox/world.ts';
import { readSmall } from '../storage/own-files.ts';
import { type RecordEntry, readEntries } from './names.ts';
import type { Candidate, FindCandidates, PlainLine, PlainValue } from './plain.ts';
import {
  listWorldDeliveries,
  listWorldEntries,
  listWorldPeople,
  listWorldTokens,
  readWorld,
} from './world.ts';

/** What this machine knows of values that change: a cache, files of its own. Nothing is asked for, nothing written. */

/** A larger file is not looked at for a completion: what it is about is offered by its name alone, or not at all. */
const MAX_BYTES = 512 * 1024;

export function createCandidateFinder(surroundings: CompletionEnvironment): FindCandidates {
  return (value, line, typed) => {
    const { state } = findDirectories(surroundings);
    const ofWorld = (list: (world: World) => readonly Candidate[]): readonly Candidate[] => {
      const world = state === undefined ? undefined : readWorld(state);
      return world === undefined ? [] : list(world);
    };
    switch (value.source) {
      case undefined:
      case 'command':
        return [];
      case 'profile':
        return listProfiles(surroundings);
      case 'job':
      case 'open-job':
        return state === undefined ? [] : listJobs(state, value.source === 'open-job');
      case 'run':
      case 'entry':
        return state === undefined ? [] : listHistory(state, value.source === 'entry');
      case 'delivery': {
        const folder = line.getValue('--store') ?? (state && join(state, 'webhooks'));
        return folder === undefined ? [] : listDeliveries(folder);
      }
      case 'sandbox-delivery':
        return ofWorld(listWorldDeliveries);
      case 'sandbox-token':
        return ofWorld(listWorldTokens);
      case 'sandbox-snapshot':
        return state === undefined ? [] : listSnapshots(state, surroundings, line);
      case 'sandbox-person':
        return ofWorld((world) =>
          listWorldPeople(world).flatMap(({ word, about }) =>
            word === undefined ? [] : { value: word, ...(about === undefined ? {} : { about }) },
          ),
        );
      case 'time-zone':
        return ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone }));
      default: {
        const project = line.getValue('--project');
        const member = line.getValue('--member');
        const filter = { typed, project, member };
        return listRecordCandidates(value.source, findCompletionScope(surroundings, line), value, filter);
      }
    }
  };
}

function listProfiles(surroundings: CompletionEnvironment): readonly Candidate[] {
  const stored = Object.entries(readSettingsFile(surroundings).profiles).map(
    ([value, { base_url: about }]): Candidate => ({ value, ...(about === undefined ? {} : { about }) }),
  );
  const sandbox = { value: 'sandbox', about: 'run the whole service locally, for trials and tests' };
  return stored.some(({ value }) => value === 'sandbox') ? stored : [...stored, sandbox];
}

const MAX_DELIVERIES = 50;

function listDeliveries(folder: string): readonly Candidate[] {
  return listNames(folder, /^(delivery\.[0-9a-f]{32}\.json)$/)
    .map((name) => join(folder, name))
    .map((file) => ({ file, modifiedAt: statSync(file).mtimeMs }))
    .sort((a, b) => b.modifiedAt - a.modifiedAt)
    .slice(0, MAX_DELIVERIES)
    .flatMap(({ file }): readonly Candidate[] => {
      const { id, event, received_at } = Object(tryRead(file, JSON.parse));
      const about = [event, received_at].filter((part) => typeof part === 'string').join(', ');
      return typeof id === 'string' ? [{ value: id, about }] : [];
    });
}

/** Names of files in a folder, as far as the pattern captures them; none where it cannot be read. */
function listNames(folder: string, pattern: RegExp): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => pattern.exec(name)?.slice(1, 2) ?? []);
  } catch {
    return [];
  }
}

/** Undefined for what cannot be read, is too large, or is none. */
function tryRead<T>(file: string, parse: (text: string) => T): T | undefined {
  try {
    const text = readSmall(file, MAX_BYTES);
    return text === undefined ? undefined : parse(text);
  } catch {
    return undefined;
  }
}

/** The snapshots of the sandbox that a command line means: of the server that runs, else of the embedded one. */
function listSnapshots(
  state: string,
  surroundings: CompletionEnvironment,
  line: PlainLine,
): readonly Candidate[] {
  // Asking for a process that has gone throws.
  const isServed = (): boolean =>
    tryRead(join(state, 'sandbox.json'), (text) => surroundings.kill(JSON.parse(text).pid, 0)) === true;
  const hasServer = line.getValue('--url') !== undefined || (!isEmbedded(surroundings, line) && isServed());
  const folder = join(hasServer ? state : join(state, 'sandbox'), 'sandbox-snapshots');
  return [...listNames(folder, /^(.+)\.snapshot$/)].sort().map((value): Candidate => {
    const head = tryRead(join(folder, `${value}.snapshot`), (text) =>
      JSON.parse(text.split('\n', 1)[0] ?? ''),
    );
    const { seed, now } = Object(head);
    return typeof seed === 'string' && typeof now === 'string'
      ? { value, about: `${seed}, at ${now}` }
      : { value };
  });
}

const MAX_RUNS = 60;
const MAX_JOBS = 30;

/** The latest runs of several writes, and those that are not settled. @param open only the latter */
function listJobs(state: string, open: boolean): readonly Candidate[] {
  return listRuns(state)
    .filter(({ rows }) => (!open && rows.length > 1) || countOpen(countRows(rows)) > 0)
    .slice(0, MAX_JOBS)
    .map(({ id, head }): Candidate => ({ value: id, about: head.command }));
}

/** The latest runs of this machine, the latest first, as far as they can be read. */
function listRuns(state: string) {
  const folder = join(state, 'runs');
  let files: readonly string[] = [];
  for (const month of listNames(folder, /^(\d{4}-\d\d)$/)
    .toSorted()
    .reverse()) {
    if (files.length >= MAX_RUNS) break;
    const names = listNames(join(folder, month), /^(\d{8}-\d{4}-[a-z]{3,}\.jsonl)$/).toSorted();
    files = [...files, ...names.reverse().map((name) => join(folder, month, name))];
  }
  const runs = files.slice(0, MAX_RUNS).flatMap((file) => {
    const { head, rows } = tryRead(file, parseRun) ?? {};
    return head === undefined || rows === undefined ? [] : [{ id: basename(file, '.jsonl'), head, rows }];
  });
  return runs.sort((a, b) => (a.head.created_at < b.head.created_at ? 1 : -1));
}

/** The latest runs, one of a single write by its entry; with `entries` the writes of the others too. */
function listHistory(state: string, entries: boolean): readonly Candidate[] {
  const all = listRuns(state).flatMap(({ id, head, rows }): readonly Candidate[] => {
    const about = head.command;
    if (rows.length === 1) return [{ value: formatEntryId(id, 0), about }];
    const own = entries
      ? rows.map(({ n, target }) => ({ value: formatEntryId(id, n - 1), about: target }))
      : [];
    return [...own.slice(0, MAX_JOBS), { value: id, about }];
  });
  return all.slice(0, 2 * MAX_JOBS);
}

interface RecordFilter {
  readonly project: string | undefined;
  readonly member: string | undefined;
}

const OWNED: ReadonlySet<RecordKind> = new Set(['timesheet', 'leave', 'time-request']);

/** Every record that fits, by its word, or by its id where no word means it or the id is what is being typed. */
function listRecordCandidates(
  kind: RecordKind,
  scope: CompletionScope,
  value: PlainValue,
  { typed, project, member }: RecordFilter & { readonly typed: string },
): readonly Candidate[] {
  const entries = scope.entries(kind);
  if (entries.length === 0) return [];
  const shared = findSharedWords(entries);
  const owner = createOwnerLookup(kind, scope);
  const inProject = findId(project, () => scope.entries('project'));
  const ofMember = findId(member, () => scope.entries('member'));
  const matching = entries.filter(
    (entry) =>
      hasState(entry, value.state) &&
      isCompatible(entry.project, inProject) &&
      isCompatible(entry.member, ofMember),
  );
  return matching.flatMap((entry): readonly Candidate[] => {
    const { id, word, about, state } = entry;
    const details = [
      ...(kind === 'task' ? [about, owner(entry)] : [owner(entry), about]),
      OWNED.has(kind) && value.state === undefined ? state : undefined,
    ];
    const usable = word !== undefined && !shared.has(word.toLowerCase()) && isUsable(kind, word, value);
    const byWord = usable ? [{ value: word, ...joinAbout([...details, `id ${id}`]) }] : [];
    const byId = (!usable || (typed !== '' && id.startsWith(typed))) && !id.startsWith('-');
    return [...byWord, ...(byId ? [{ value: id, ...joinAbout([...details, word]) }] : [])];
  });
}

/** The words that more than one record has; such a record is named by its id. */
function findSharedWords(entries: readonly RecordEntry[]): ReadonlySet<string> {
  const [seen, shared] = [new Set<string>(), new Set<string>()];
  for (const { word } of entries) {
    if (word === undefined) continue;
    const name = word.toLowerCase();
    (seen.has(name) ? shared : seen).add(name);
  }
  return shared;
}

/** Words that tell whose it is, beside what the record says of itself. */
function createOwnerLookup(
  kind: RecordKind,
  scope: CompletionScope,
): (entry: RecordEntry) => string | undefined {
  if (OWNED.has(kind)) {
    const people = mapNames(scope.entries('member'));
    return ({ member }) => people.get(member ?? '');
  }
  if (kind !== 'task') return () => undefined;
  const projects = mapNames(scope.entries('project'));
  return ({ project }) => projects.get(project ?? '');
}

function mapNames(entries: readonly RecordEntry[]): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap(({ id, about, word }) => ((about ?? word) ? [[id, about ?? word ?? '']] : [])),
  );
}

function findId(text: string | undefined, entries: () => readonly RecordEntry[]): string | undefined {
  if (text === undefined || /^\d+$/.test(text)) return text;
  const name = text.toLowerCase();
  return entries().find(({ id, word }) => id === text || word?.toLowerCase() === name)?.id;
}

function hasState({ state }: RecordEntry, expected: string | undefined): boolean {
  if (expected === 'any') return true;
  if (expected === undefined) return state !== ARCHIVED;
  if (expected === ARCHIVED) return state === ARCHIVED;
  return state === undefined || listStateWords(timesheet, expected).includes(state);
}

function isCompatible(own: string | undefined, expected: string | undefined): boolean {
  return own === undefined || expected === undefined || own === expected;
}

/** Whether the word, written in place of the id, means a record and stays one word. */
function isUsable(kind: RecordKind, word: string, { list }: PlainValue): boolean {
  // Nothing that hides in the line, moves it about, or is a control.
  if (safeCell(word) !== word || word.trim() === '' || word.startsWith('-')) return false;
  if (list === true && word.includes(',')) return false;
  return kind === 'workspace' ? !/^\d+$/.test(word) : isNamedKind(kind) && !isRecordId(kind, word);
}

function joinAbout(parts: readonly (string | undefined)[]): { readonly about?: string } {
  const text = parts.filter((part) => part !== undefined && part.trim() !== '').join(', ');
  return text === '' ? {} : { about: text };
}

/** Which service and workspace a command line means, and what is known of its records on this machine. */

export interface CompletionEnvironment {
  readonly env: Environment;
  readonly platform: string;
  readonly home: string | undefined;
  /** `process.kill`: with signal 0 it only asks. */
  readonly kill: (pid: number, signal: 0) => boolean;
}

export interface CompletionScope {
  entries(kind: RecordKind): readonly RecordEntry[];
}

export function findDirectories({ env, platform, home }: CompletionEnvironment) {
  return resolveDirectories(env, platform, home);
}

/** @throws UsageError for a damaged one */
export function readSettingsFile(surroundings: CompletionEnvironment): SettingsFile {
  const { config } = findDirectories(surroundings);
  return readSettings(config && join(config, 'settings.json'));
}

/** What says which service is meant. Other variables may be wrong without harm. */
const SELECTING_VARIABLES = ['TTCTL_PROFILE', 'TTCTL_BASE_URL', 'TTCTL_WORKSPACE'];

/** Whether the embedded sandbox is said. @throws UsageError as `findCompletionScope` */
export function isEmbedded(surroundings: CompletionEnvironment, line: PlainLine): boolean {
  return resolveLineSettings(surroundings, line).embedded;
}

function resolveLineSettings(surroundings: CompletionEnvironment, line: PlainLine) {
  const [profile, workspace] = [line.getValue('--profile'), line.getValue('--workspace')];
  const flags = {
    ...(profile === undefined ? {} : { profile }),
    ...(workspace === undefined ? {} : { workspace }),
  };
  const env = Object.fromEntries(SELECTING_VARIABLES.map((name) => [name, surroundings.env[name]]));
  return resolveSettings({ flags, env, file: readSettingsFile(surroundings) });
}

const NOTHING: CompletionScope = { entries: () => [] };

/** @throws UsageError where settings are damaged, or name a profile that is not there */
export function findCompletionScope(surroundings: CompletionEnvironment, line: PlainLine): CompletionScope {
  const { profile, embedded, baseUrl, workspace } = resolveLineSettings(surroundings, line);
  const { cache, state } = findDirectories(surroundings);
  if (embedded) return createEmbeddedScope(state, workspace?.value);
  if (cache === undefined || baseUrl === undefined) return NOTHING;
  return createCachedScope(cache, { profile: profile.value, base: baseUrl.value }, workspace?.value);
}

function createEmbeddedScope(state: string | undefined, workspace: string | undefined): CompletionScope {
  const world = state === undefined ? undefined : readWorld(state);
  return world === undefined ? NOTHING : { entries: (kind) => listWorldEntries(world, kind, workspace) };
}

function createCachedScope(
  cache: string,
  service: { readonly profile: string; readonly base: string },
  workspaceName: string | undefined,
): CompletionScope {
  const findWorkspaceId = (text: string): string | undefined => {
    if (/^\d+$/.test(text)) return text;
    const name = text.toLowerCase();
    const workspaces = readEntries(cache, 'workspace', { ...service, workspace: undefined });
    return workspaces.find(({ word }) => word?.toLowerCase() === name)?.id;
  };
  return {
    entries(kind) {
      if (kind === 'workspace') return readEntries(cache, kind, { ...service, workspace: undefined });
      const workspace = workspaceName === undefined ? undefined : findWorkspaceId(workspaceName);
      return workspace === undefined ? [] : readEntries(cache, kind, { ...service, workspace });
    },
  };
}
