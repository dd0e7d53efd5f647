import { type Api, type ApiCall, buildCall } from '../api/client.ts';
import type { Operation } from '../api/operation.ts';
import { allOperations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { buildRequest, hasParameter, NO_EXTRA, type Values } from '../api/plan.ts';
import { Cancelled, Failure, UsageError } from '../errors.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isRecord, isSameJson, stringifyJson, toText } from '../json.ts';
import { createCommandTemplate } from '../parsing/shell-word.ts';
import { formatRecordedCommand, readCaller } from '../platform/machine.ts';
import type { Run } from '../run.ts';
import { formatLine } from '../storage/journal.ts';
import { findCreatedId } from './accepted.ts';
import type { Change, Changes, Observation, RunWords, SendResult } from './change.ts';
import {
  formatEntryId,
  formatRun,
  type MemberOfWrite,
  type PlannedWrite,
  type RunHead,
  type RunSettings,
  type Step,
} from './journal.ts';
import { describeKnown, findSent, NOT_FOUND } from './look.ts';
import { keepsHistory, RunStore, type StepLog } from './store.ts';

/** What is written down of a run: its head and its writes before anything is sent, then its steps. */

export type Head = Omit<RunHead, 'id' | 'rows' | 'sha256'>;

/**
 * Nothing is asked of the service for it.
 * @param account default, of a run: that of the stored sign-in
 * @param of what going on with a run needs; absent: it is a plan
 */
export async function createHead(
  run: Run,
  account: string | null = null,
  of?: RunWords & Omit<Partial<Changes>, 'changes'>,
): Promise<Head> {
  const { base_url, workspace_id, profile, flags } = await readDestination(run);
  const known = account ?? (of && (await run.identity()).stored?.account) ?? null;
  return {
    ttctl_plan: 1,
    created_at: new Date(run.clock.now()).toISOString(),
    timezone: of === undefined ? run.timeZone() : undefined,
    ttctl: run.machine.version,
    ...{ base_url, workspace_id, account: known },
    command: formatRecordedCommand(run.args, run.machine),
    ...readCaller(run.machine),
    run: of && {
      ...{ profile, flags, verb: of.verb, noun: of.noun, input: of.input },
      if_missing: of.ifMissing || undefined,
      ...{ plan: of.plan, again: of.again || undefined, undoes: of.undoes },
    },
  };
}

/** Which service a run is for, so that it is never gone on with at another. */
export async function readDestination(run: Run) {
  const { profile, workspace, embedded, baseUrl } = run.settings;
  const origin = baseUrl === undefined ? 'none' : new URL(baseUrl.value).origin;
  const workspace_id = (await run.knownWorkspaceId()) ?? null;
  const isNamed = profile.from === 'flag' || profile.from === 'environment';
  const flags = [
    ...(isNamed ? ['--profile', profile.value] : []),
    ...(workspace?.from === 'flag' ? ['--workspace', String(workspace_id)] : []),
  ];
  return { base_url: embedded ? 'embedded' : origin, workspace_id, profile: profile.value, flags };
}

export function formatResumeCommand(id: string, { flags = [] }: Partial<RunSettings> = {}): string {
  return createCommandTemplate(flags)`ttctl jobs resume ${id}`;
}

/** @param known by place, from 0: what is not sent */
export function formatRunStart(
  run: Run,
  head: Head,
  id: string,
  changes: readonly Change[],
  known?: Changes['knownResults'],
): string {
  const { json: redact } = run.machine.redactor;
  let steps = '';
  const writes = changes.map((change): PlannedWrite => {
    const { n, target, key, needs, call, columns, label, before, seen, unset } = change;
    const sent = known?.get(n);
    if (sent !== undefined) steps += formatLine(toResultStep(run, n, call, sent));
    // A request that a secret stands in is not stored: it could not be sent again with it masked.
    const isStored =
      call.operation.path !== '{path}' && stringifyJson(redact(call.values)) === stringifyJson(call.values);
    return {
      n: n + 1,
      operation: call.operation.id,
      target: String(redact(target)),
      label: label === undefined ? null : String(redact(label)),
      before: null,
      after: null,
      request: isStored ? buildStoredRequest(call, head) : null,
      seen: seen === undefined ? null : (redact(seen) as Row),
      unset: unset?.length ? unset : undefined,
      key: key === target ? undefined : String(redact(key)),
      needs: needs && String(redact(needs)),
      columns: isSameJson(columns, { id: target }) ? undefined : (redact(columns) as Record<string, string>),
      member: redact(findMember(run, call, before)) as MemberOfWrite | undefined,
    };
  });
  return formatRun({ ...head, id, rows: writes.length }, writes) + steps;
}

/** Of whose records a write is, where its values or the record name one member. */
function findMember(
  { names }: Run,
  { operation, values }: ApiCall,
  record: Row | undefined,
): MemberOfWrite | undefined {
  const own = operation.id.startsWith('members.') ? values.memberId : undefined;
  const id = own ?? values.userId ?? values.user_id ?? record?.['user_id'];
  if (id == null) return undefined;
  const known = own !== undefined && record !== undefined ? record : names.member.record(id);
  const name = [known?.['firstname'], known?.['lastname']].filter(Boolean).map(toText).join(' ');
  return { id: toText(id), name: name || undefined, email: toText(known?.['email']) || undefined };
}

export type RunLog = ReturnType<typeof createRunLog>;

/** @param from the place of the first change that is in the file */
export function createRunLog(run: Run, id: string, head: Head, steps: StepLog, from = 0) {
  const begun = new Set<number>();
  return {
    /** The command line that looks again later at what is unknown, and sends only what is then shown not done. */
    resumeLine: () => formatResumeCommand(id, head.run),
    /** The entry of a row in the history: the `X-Request-Id` of its request. */
    entryId: (n: number): string => formatEntryId(id, n - from),
    /** The row is about to go out. Its end means that this is on the disk. @param evidence what the proof needs */
    async beforeSend(change: Change, evidence?: unknown, seen: Observation = {}): Promise<void> {
      // What is sent again after a 429 has departed already.
      if (begun.has(change.n)) return;
      const { record, before, old } = seen;
      const after = seen.after === undefined ? await findSent(change.call, run.names, false) : seen.after;
      let label = change.label ?? (await describeKnown(run, change, { observation: seen }));
      // Whose it is, where a list told it: hours of a week are not yet a record.
      const member = findMember(run, change.call, record);
      if (label !== undefined && !label.includes(member?.name ?? '')) label = `${member?.name}  ${label}`;
      const known = run.machine.redactor.json({ label, member, before, after, old }) as Partial<Step>;
      const time = new Date(run.clock.now()).toISOString();
      await steps.add({ n: change.n - from + 1, step: 'sending', time, evidence, ...known });
      begun.add(change.n);
    },
    /** @param ended undefined: a look-up showed that what had been on its way was not done */
    async logResult({ n, call }: Pick<Change, 'n' | 'call'>, ended: SendResult | undefined): Promise<void> {
      const isBegun = begun.delete(n);
      const { status, error, message } = ended ?? { status: 'planned' as const };
      // A row that was looked at and passed over stays so: nothing is left to do for it.
      const isSettled =
        status !== 'planned' && (status !== 'skipped' || error !== undefined || message === NOT_FOUND);
      if (ended !== undefined && isSettled) return steps.note(toResultStep(run, n - from, call, ended));
      const time = new Date(run.clock.now()).toISOString();
      if (ended === undefined || isBegun)
        await steps.note({ n: n - from + 1, step: 'planned', time, ...(message && { message }) });
    },
  };
}

function toResultStep(run: Run, n: number, call: ApiCall, sent: SendResult): Step {
  const { json: redact } = run.machine.redactor;
  const { status, message, error, lostAt, data } = sent;
  const answered = error?.['status'] ?? sent.answered;
  const created = status === 'done' || status === 'failed' ? findCreatedId(call, data) : undefined;
  // What shows later whether somebody has changed it: no times, no counts of other records, no secrets.
  const isMade = ([name, value]: [string, unknown]): boolean =>
    !/_(?:at|count)$/.test(name) && Object(value) !== value && (redact(data) as Row)[name] === value;
  return {
    ...{ n: n + 1, step: status, time: new Date(run.clock.now()).toISOString() },
    status: typeof answered === 'number' ? answered : undefined,
    lost: lostAt === undefined ? undefined : new Date(lostAt).toISOString(),
    message: status === 'done' || message === undefined ? undefined : String(redact(message)),
    // A code is one of our own words, though its name is that of a secret.
    error: error && { ...(redact(error) as Row), code: error['code'] },
    created,
    // The answer may name what was sent as ids.
    label: created === undefined ? undefined : (redact(sent.label) as string | undefined),
    made: created === undefined ? undefined : Object.fromEntries(Object.entries(data as Row).filter(isMade)),
  };
}

/** Writes a single write down when it is sent; undefined where that is not wanted. */
export async function createSingleLog(
  run: Run,
  words: RunWords,
  change: Change,
): Promise<RunLog | undefined> {
  if (!keepsHistory(run) || run.settings.dryRun.value) return undefined;
  // From here on the credential is known, and masked.
  await run.accessToken();
  const head = await createHead(run, undefined, words);
  const steps = new RunStore(run).single((id) => formatRunStart(run, head, id, [{ ...change, n: 0 }]));
  return createRunLog(run, steps.id, head, steps, change.n);
}

export interface RequestMeaning {
  readonly operation: Operation;
  /** Path and body of the request; the workspace, which is that of the file, is not among them. */
  readonly values: Values;
}

type Place = Pick<RunHead, 'workspace_id'>;

/** The request that this version sends for values. @throws UsageError for values that no request can have */
export function buildStoredRequest(
  { operation, values }: RequestMeaning,
  { workspace_id }: Place,
): PlannedRequest {
  const known: Record<string, unknown> = {};
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (hasParameter(operation, name)) known[name] = value;
    else input[name] = value;
  }
  const { method, path, query, body } = buildRequest(operation, known, {
    base: '',
    workspaceId: workspace_id ?? undefined,
    extra: { ...NO_EXTRA, input },
    flagOf: (name) => name,
  });
  return { method, path, query: Object.fromEntries(query), body };
}

/** Undefined for a request that is none of this version's writes. */
export function parseStoredRequest({ method, path, body }: PlannedRequest): RequestMeaning | undefined {
  for (const operation of method === 'GET' ? [] : allOperations) {
    const inPath = operation.method === method ? parsePath(operation, path) : undefined;
    if (inPath === undefined) continue;
    const { workspace_id: _, ...fields } = isRecord(body) ? body : {};
    return { operation, values: { ...inPath, ...fields } };
  }
  return undefined;
}

export function buildStoredCall(api: Api, { request }: PlannedWrite): ApiCall | undefined {
  const meaning = request === null ? undefined : parseStoredRequest(request);
  return meaning && buildCall(api, meaning.operation.id, meaning.values);
}

export function toChange(write: PlannedWrite, call: ApiCall): Change {
  const { n, target, key = target, needs, columns = { id: target }, label, seen, unset } = write;
  return {
    ...{ n: n - 1, target, key, needs, columns, unset, call, after: call.values },
    label: label ?? undefined,
    seen: seen ?? undefined,
  };
}

/** Whether this version sends exactly this request, with nothing else in it. */
export function isExact(request: PlannedRequest, meaning: RequestMeaning, place: Place): boolean {
  const { method, path, query, body, ...others } = request;
  // A field in the body would stand for the id in the path.
  if (isRecord(body) && Object.keys(body).some((name) => meaning.operation.path.includes(`{${name}}`)))
    return false;
  try {
    const built = buildStoredRequest(meaning, place);
    const rebuilt = [built.method, built.path, built.query, built.body ?? null, {}];
    return stringifyJson(rebuilt) === stringifyJson([method, path, query, body ?? null, others]);
  } catch (error) {
    // The path has no id in it, or a field is missing.
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** The values of a path, decoded; undefined where it is not a path of this operation. */
function parsePath({ path: template }: Operation, path: string): Record<string, string> | undefined {
  const given = path.split('/');
  const expected = template.split('/');
  const isFixed = (part: string): boolean => !part.startsWith('{');
  if (expected.length !== given.length) return undefined;
  if (expected.some((part, i) => isFixed(part) && part !== given[i])) return undefined;
  try {
    const values = expected.map((part, i) => [part.slice(1, -1), decodeURIComponent(given[i] ?? '')]);
    return Object.fromEntries(values.filter((_, i) => !isFixed(expected[i] ?? '')));
  } catch {
    return undefined;
  }
}

/**
 * Who the service says that we are: an e-mail address, or an id where no workspace is set; null where it does not tell.
 * @throws Failure where it could not be asked
 */
export async function fetchAccount(run: Run): Promise<string | null> {
  const { api, lists } = run;
  const workspace = await run.knownWorkspaceId();
  for await (const page of lists.pages(api.workspaces.list({}))) {
    const row = page.rows.find(({ id }) => workspace === undefined || toText(id) === toText(workspace));
    if (row?.user_id == null) continue;
    if (workspace === undefined) return toText(row.user_id);
    const id = toText(row.user_id);
    const read = async () => (await api.members.get({ memberId: id }).send()).data;
    const member = await lists.record(api.members.list({}), id, read);
    return member?.email == null ? null : toText(member.email);
  }
  return null;
}

/** The same where nothing depends on it: null where it could not be asked. */
export function readAccount(run: Run): Promise<string | null> {
  return fetchAccount(run).catch((error: unknown) => {
    if (error instanceof Cancelled || !(error instanceof Failure)) throw error;
    return null;
  });
}
