import { type Api, type ApiCall, buildCall } from '../api/client.ts';
import type { Operation } from '../api/operation.ts';
import { allOperations } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { buildRequest, hasParameter, NO_EXTRA, type Values } from '../api/plan.ts';
import { Failure, UsageError } from '../errors.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isNumber, isRecord, isSameJson, stringifyJson, toText } from '../json.ts';
import { createCommandTemplate } from '../parsing/shell-word.ts';
import { formatRecordedCommand } from '../platform/machine.ts';
import type { Names } from '../resources/names.ts';
import { findReconciler } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import { formatLine } from '../storage/journal.ts';
import { findCreatedId } from './accepted.ts';
import type { Change, Changes, Observation, RunLog, RunWords, SendResult } from './change.ts';
import { describeRecord, isLasting } from './describe-change.ts';
import {
  formatEntryId,
  formatRun,
  type MemberOfWrite,
  type PlannedWrite,
  type RunHead,
  type RunSettings,
  type Step,
  type StepName,
} from './journal.ts';
import { predictEffect } from './look.ts';
import { keepsHistory, openRuns, type StepLog } from './store.ts';

/** What is written down of a run: its head and its writes before anything is sent, then its steps. */

/** What a head has before its writes are counted. */
export type PlanHead = Omit<RunHead, 'id' | 'run' | 'rows' | 'sha256'>;

/** Of the service that this run goes to. */
export async function createPlanHead(run: Run, account: string | null, timezone?: string): Promise<PlanHead> {
  const { base_url, workspace_id } = await readDestination(run);
  return {
    ttctl_plan: 1,
    created_at: new Date(run.clock.now()).toISOString(),
    ...(timezone !== undefined && { timezone }),
    ttctl: run.machine.version,
    ...{ base_url, workspace_id, account },
    command: formatRecordedCommand(run.args, run.machine),
  };
}

type Head = PlanHead & { readonly run: RunSettings };

/** The same with what going on with the run needs. Nothing is asked of the service for it. */
export async function createHead(
  run: Run,
  {
    verb,
    noun,
    input,
    plan,
    again,
    undoes,
    ifMissing,
    account,
  }: RunWords & Omit<Partial<Changes>, 'changes'>,
): Promise<Head> {
  const { profile, flags } = await readDestination(run);
  return {
    ...(await createPlanHead(run, account ?? (await readStoredAccount(run)))),
    run: {
      ...{ profile, flags, verb, noun },
      ...(input !== undefined && { input }),
      ...(ifMissing === true && { if_missing: true }),
      ...(plan !== undefined && { plan }),
      ...(again === true && { again }),
      ...(undoes !== undefined && { undoes }),
    },
  };
}

/**
 * Head and writes of a run as text, with what is known already of some.
 * @param known by place, from 0: what is not sent
 */
export function formatRunStart(run: Run, head: Head, { id, changes, known = new Map() }: RunStart): string {
  // One after another: of very many there is only the text.
  function* listWrites() {
    for (const change of changes) yield toWrite(run, change, head);
  }
  const steps = [...known].map(([n, sent]) => formatLine(toResultStep(run, n, sent)));
  return formatRun({ ...head, id, rows: changes.length }, listWrites()) + steps.join('');
}

interface RunStart extends Pick<Changes, 'changes'> {
  readonly id: string;
  readonly known?: ReadonlyMap<number, SendResult>;
}

/** Which service a run is for, so that it is never gone on with at another. */
export async function readDestination(run: Run) {
  const { profile, workspace, embedded, baseUrl } = run.settings;
  const origin = baseUrl === undefined ? 'none' : new URL(baseUrl.value).origin;
  const workspaceId = (await run.knownWorkspaceId()) ?? null;
  const isNamed = profile.from === 'flag' || profile.from === 'environment';
  const flags = [
    ...(isNamed ? ['--profile', profile.value] : []),
    ...(workspace?.from === 'flag' ? ['--workspace', String(workspaceId)] : []),
  ];
  return {
    base_url: embedded ? 'embedded' : origin,
    workspace_id: workspaceId,
    profile: profile.value,
    flags,
  };
}

/** Looks at what became of a run, and sends again only what is shown not done. */
export function formatResumeCommand(id: string, { flags }: Pick<RunSettings, 'flags'>): string {
  return createCommandTemplate(flags)`ttctl jobs resume ${id}`;
}

/** The account of a stored sign-in: nothing is asked of the service for it. */
async function readStoredAccount(run: Run): Promise<string | null> {
  const { kind, profile } = await run.identity();
  if (kind === 'environment' || kind === 'sandbox') return null;
  return run.credentials.read(profile)?.account ?? null;
}

function toWrite(run: Run, change: Change, head: Pick<RunHead, 'workspace_id'>): PlannedWrite {
  const { json: redact } = run.machine.redactor;
  const { n, target, key, call, columns, label, before, seen, unset } = change;
  const member = findMember(run, call, before);
  return {
    n: n + 1,
    operation: call.operation.id,
    target: String(redact(target)),
    label: label === undefined ? null : String(redact(label)),
    before: null,
    after: null,
    request: toStorableRequest(call, head, redact),
    seen: seen === undefined ? null : (redact(seen) as Row),
    ...(unset !== undefined && unset.length > 0 && { unset }),
    ...(key !== target && { key: String(redact(key)) }),
    ...(!isSameJson(columns, { id: target }) && { columns: redact(columns) as Record<string, string> }),
    ...(member !== undefined && { member: redact(member) as MemberOfWrite }),
  };
}

/** A request that a secret stands in is not stored: it could not be sent again with it masked. */
function toStorableRequest(
  call: ApiCall,
  head: Pick<RunHead, 'workspace_id'>,
  redact: (value: unknown) => unknown,
): PlannedRequest | null {
  const isRaw = call.operation.path === '{path}';
  if (isRaw || stringifyJson(redact(call.values)) !== stringifyJson(call.values)) return null;
  return buildStoredRequest(call, head);
}

/** Of whose records a write is, where its values or the record name one member. */
function findMember(
  { names }: Pick<Run, 'names'>,
  { operation, values }: ApiCall,
  record: Row | undefined,
): MemberOfWrite | undefined {
  const own = operation.id.startsWith('members.') ? values.memberId : undefined;
  const id = own ?? values.userId ?? values.user_id ?? record?.['user_id'];
  if (id == null) return undefined;
  const known = own !== undefined && record !== undefined ? record : names.member.record(id);
  const name = [known?.['firstname'], known?.['lastname']].filter(Boolean).map(toText).join(' ');
  return {
    id: toText(id),
    ...(name !== '' && { name }),
    ...(known?.['email'] != null && { email: toText(known['email']) }),
  };
}

/** Which record it is, in words that are known already and stay true. */
function describeLasting(run: Run, change: Change, record: Row): Promise<string | undefined> {
  const labelColumns = change.labelColumns?.filter(isLasting);
  return describeRecord(run, { ...change, labelColumns }, record, { load: false });
}

/** What a creation makes; its ids by the names that are known already. */
async function describeCreation({ names }: Run, { operation, values }: ApiCall): Promise<Row | undefined> {
  const known = Object.entries(names).map(([kind, source]) => [
    kind,
    { load: async () => {}, of: (id: unknown) => source.of(id) },
  ]);
  return (await findReconciler(operation))?.fields?.(values, Object.fromEntries(known) as Names);
}

/** The record as it is known just before the write. */
async function describeBefore(
  run: Run,
  change: Change,
  observation: Observation,
): Promise<Pick<Step, 'label' | 'member' | 'before' | 'after' | 'old'>> {
  const { record, before, after = await describeCreation(run, change.call), old } = observation;
  const member = findMember(run, change.call, record);
  const words = change.label ?? (record && (await describeLasting(run, change, record)));
  const { name = '' } = member ?? {};
  // Whose it is, where a list told it: hours of a week are not yet a record.
  const label = words === undefined || words.includes(name) ? words : `${name}  ${words}`;
  return {
    ...(label !== undefined && { label }),
    ...(member !== undefined && { member }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(old !== undefined && { old }),
  };
}

export interface JobLog extends RunLog {
  /** What a look-up showed of a row that had been on its way; undefined: it was not done. */
  logReconciled(n: number, sent: SendResult | undefined): Promise<void>;
}

export function createJobLog(context: Run, id: string, { run }: Pick<Head, 'run'>, log: StepLog): JobLog {
  const { json: redact } = context.machine.redactor;
  const sending = new Map<number, { readonly call: ApiCall; readonly written: Promise<void> }>();
  const noteResult = (n: number, sent: SendResult): Promise<void> =>
    log.note(toResultStep(context, n, sent, sending.get(n)?.call));
  return {
    resumeLine: formatResumeCommand(id, run),
    entryId: (n) => formatEntryId(id, n),
    logReconciled: (n, sent) =>
      sent === undefined ? log.note(toStep(context, n, 'planned')) : noteResult(n, sent),
    beforeSend(change, { before: evidence, observation: seen }) {
      const { n, call } = change;
      const write = async (): Promise<void> => {
        const observation = seen?.after === undefined ? { ...seen, ...(await predictEffect(call)) } : seen;
        const known = redact(await describeBefore(context, change, observation)) as Partial<Step>;
        const step = { ...(evidence !== undefined && { evidence }), ...known };
        await log.add(toStep(context, n, 'sending', step));
      };
      // What is sent again after a 429 has departed already.
      const written = sending.get(n)?.written ?? write();
      sending.set(n, { call, written });
      return written;
    },
    async logResult(n, ended) {
      if (isSettled(ended)) await noteResult(n, ended);
      else if (sending.has(n)) {
        const { message } = toResultStep(context, n, ended);
        await log.note(toStep(context, n, 'planned', { ...(message && { message }) }));
      }
      sending.delete(n);
    },
  };
}

/** A row that was looked at and passed over stays so: nothing is left to do for it. */
function isSettled({ result, isPassedOver }: SendResult): boolean {
  return result.status !== 'planned' && (result.status !== 'skipped' || isPassedOver === true);
}

function toStep(run: Run, n: number, step: StepName, more: Partial<Step> = {}): Step {
  return { n: n + 1, step, time: new Date(run.clock.now()).toISOString(), ...more };
}

/** @param call of one that was sent */
function toResultStep(run: Run, n: number, sent: SendResult, call?: ApiCall): Step {
  const { json: redact } = run.machine.redactor;
  const { result, lostAt } = sent;
  const { status, message, error } = result;
  const answered = error?.['status'] ?? sent.answered;
  const created = sent.created ?? findCreatedId(call, result.data);
  return toStep(run, n, status, {
    ...(isNumber(answered) && { status: answered }),
    ...(lostAt !== undefined && { lost: new Date(lostAt).toISOString() }),
    ...(status !== 'done' && message !== undefined && { message: String(redact(message)) }),
    // A code is one of our own words, though its name is that of a secret.
    ...(error !== undefined && { error: { ...(redact(error) as Row), code: error['code'] } }),
    ...(created !== undefined && { created, ...pickMade(result, redact) }),
  });
}

/** What of a new record shows later whether somebody has changed it: no times, no counts of other records, no secrets. */
function pickMade({ data }: SendResult['result'], redact: (value: unknown) => unknown): { made?: Row } {
  const shown = redact(data);
  if (!isRecord(data) || !isRecord(shown)) return {};
  const isKept = ([name, value]: [string, unknown]) =>
    !/_(?:at|count)$/.test(name) && (value === null || typeof value !== 'object') && shown[name] === value;
  return { made: Object.fromEntries(Object.entries(data).filter(isKept)) };
}

/**
 * Writes a single write down when it is sent. Where that cannot be, people are told, and the write goes on.
 * @returns undefined where none is wanted
 */
export async function createSingleLog(
  run: Run,
  words: RunWords,
  change: Change,
): Promise<RunLog | undefined> {
  if (!keepsHistory(run) || run.settings.dryRun.value) return undefined;
  // From here on the credential is known, and masked.
  await run.accessToken();
  const head = await createHead(run, words);
  const single = openRuns(run).single((id) =>
    formatRunStart(run, head, { id, changes: [{ ...change, n: 0 }] }),
  );
  const log = createJobLog(run, single.id, head, single);
  let isLost = false;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (isLost) return;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      isLost = true;
      run.output.warn(
        `not written to the history: ${[error.message, error.reason].filter(Boolean).join(': ')}`,
      );
    }
  };
  let isSent = false;
  return {
    resumeLine: log.resumeLine,
    entryId: () => log.entryId(0),
    beforeSend(row, known) {
      isSent = true;
      return attempt(() => log.beforeSend({ ...row, n: 0 }, known));
    },
    // What was not sent is no write.
    logResult: async (_, sent) => (isSent ? attempt(() => log.logResult(0, sent)) : undefined),
  };
}

/** Requests as a file of writes has them, and what they mean. */

export interface RequestMeaning {
  readonly operation: Operation;
  /** Path and body of the request; the workspace where it is not that of the file. */
  readonly values: Values;
}

type Place = Pick<RunHead, 'workspace_id'>;

/** The request that this version sends for values. @throws UsageError for values that no request can have */
export function buildStoredRequest(
  { operation, values }: Pick<ApiCall, 'operation' | 'values'>,
  { workspace_id }: Place,
): PlannedRequest {
  const pairs = Object.entries(values);
  const isKnown = ([name]: [string, unknown]): boolean => hasParameter(operation, name);
  const input = Object.fromEntries(pairs.filter((pair) => !isKnown(pair)));
  const { method, path, query, body } = buildRequest(operation, Object.fromEntries(pairs.filter(isKnown)), {
    base: '',
    workspaceId: workspace_id ?? undefined,
    extra: { ...NO_EXTRA, input },
    flagOf: (name) => name,
  });
  return { method, path, query: Object.fromEntries(query), body };
}

/** Undefined for a request that is none of this version's writes. */
export function parseStoredRequest(
  { method, path, body }: PlannedRequest,
  { workspace_id }: Place,
): RequestMeaning | undefined {
  const found = method === 'GET' ? undefined : findOperation(method, path);
  if (found === undefined) return undefined;
  const { workspace_id: own, ...fields } = isRecord(body) ? body : {};
  const isOwn = own !== undefined && toText(own) !== toText(workspace_id);
  return {
    operation: found.operation,
    values: { ...found.values, ...(isOwn && { workspace_id: own }), ...fields },
  };
}

/** The call of a write; undefined where its request was not stored, or is none of this version's. */
export function buildStoredCall(
  api: Api,
  { request }: Pick<PlannedWrite, 'request'>,
  place: Place,
): ApiCall | undefined {
  const meaning = request === null ? undefined : parseStoredRequest(request, place);
  return meaning && buildCall(api, meaning.operation.id, meaning.values);
}

/** A stored write as the pipeline sends it. */
export function toChange(write: PlannedWrite, call: ApiCall): Change {
  const { n, target, key = target, columns = { id: target }, label, seen, unset } = write;
  return {
    ...{ n: n - 1, target, key, columns, unset, call, after: call.values },
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

/** The values of the path, decoded. */
function findOperation(method: string, path: string): RequestMeaning | undefined {
  for (const operation of allOperations()) {
    const values = operation.method === method ? parsePath(operation, path) : undefined;
    if (values !== undefined) return { operation, values };
  }
  return undefined;
}

/** The texts between the slashes of a path; undefined where it is not a path of this operation. */
function parsePath({ path: template }: Operation, path: string): Record<string, string> | undefined {
  const [expected, given] = [template.split('/'), path.split('/')];
  if (expected.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== given[index]) return undefined;
    if (name === undefined) continue;
    try {
      values[name] = decodeURIComponent(given[index] ?? '');
    } catch {
      return undefined;
    }
  }
  return values;
}
