import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeSource } from '../config/settings.ts';
import { EXIT, Failure, NetworkError, parseFailureJson, UsageError } from '../errors.ts';
import { createHttpSender } from '../http/send.ts';
import { isRecord, parseJson, parseJsonValue } from '../json.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { findAddressProblem, isLoopback } from '../parsing/text.ts';
import type { Machine } from '../platform/machine.ts';
import type { Run } from '../run.ts';
import {
  CONTROL_MARK,
  CONTROL_PREFIX,
  getControlMethod,
  mapOperations,
  type SandboxControl,
} from '../sandbox/control.ts';
import { buildClientVariables } from '../sandbox/open.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { getErrno, makePrivateDirectory, writeDurably } from '../storage/write.ts';
import { locateSandbox, openEmbedded } from './embedded.ts';

/** Which sandbox of this machine is meant: by `--url`, by its locator file, or by the address of the settings. */

export type HostContext = Pick<Run, 'machine' | 'directories' | 'settings' | 'onEnd'>;

export interface Locator {
  /** `http://127.0.0.1:4747` */
  readonly url: string;
  readonly base_url: string;
  readonly auth_url: string;
  readonly token_url: string;
  readonly port: number;
  readonly pid: number;
  readonly started_at: string;
  readonly state: string | null;
  /** Lets its holder control the server. */
  readonly secret: string;
}

interface ServerAddress {
  readonly origin: string;
  readonly secret: string;
  /** Where nothing answers there. */
  readonly hint: string;
}

/** The sandbox at `url`, else the running server, else the embedded one, which is closed at the end of the run. */
export function openControl(context: HostContext, url: string | undefined): SandboxControl {
  const address = findServerAddress(context, url);
  const control = connect(context, address);
  const which =
    address === undefined ? 'The embedded sandbox' : `The server at ${new URL(address.origin).host}`;
  // Two of one machine hold different people: what is not in this one may be in the other.
  const tellWhich = async (error: unknown): Promise<never> => {
    const isRefusal = error instanceof Failure && (error.exit === EXIT.notFound || error.exit === EXIT.usage);
    const [, advice, line] = /^(.*)\b(ttctl .*)$/s.exec((isRefusal && error.hint) || '') ?? [];
    if (isRefusal && line !== undefined) {
      const { seed } = await control.status();
      error.hint = `${which} runs the seed ${seed}. ${advice}${leadTo(context.settings, address?.origin, line, url)}`;
    }
    throw error;
  };
  return mapOperations((name, args) =>
    (control[name] as (given: object) => Promise<unknown>)(args).catch(tellWhich),
  );
}

/**
 * A line that reaches the sandbox that is meant, from wherever it is typed.
 * @param origin of the server; undefined: the embedded one
 * @param url as it was named, if it was
 */
export function leadTo(settings: Run['settings'], origin: string | undefined, line: string, url?: string) {
  if (origin === undefined) return `${line} --profile sandbox`;
  const withUrl = (command: string) =>
    url === undefined ? command : `${command}${commandLine` --url ${url}`}`;
  if (line.startsWith('ttctl sandbox ')) return withUrl(line);
  const { baseUrl } = settings;
  const isSet = baseUrl !== undefined && new URL(baseUrl.value).origin === origin;
  const env = withUrl('ttctl sandbox env');
  return isSet ? line : `eval "$(${env})"; ${line}`;
}

function connect(
  { machine, directories, onEnd }: HostContext,
  address: ServerAddress | undefined,
): SandboxControl {
  if (address !== undefined) return createRemoteControl(address, machine);
  const embedded = openEmbedded(locateSandbox(directories), machine.clock, machine.interrupted);
  // After the output: there may be something to send to webhooks.
  onEnd(embedded.close);
  return embedded.control;
}

const STOP_TIMEOUT_MS = 5000;
const POLL_INTERVAL_MS = 20;

/** Ends the server that is meant; its port is free again then. @returns its root; undefined: none is meant */
export async function stopServer(context: HostContext, url: string | undefined): Promise<string | undefined> {
  // The settings may name another service, or one that is long gone.
  const address = findServerAddress(context, url ?? findRunningServer(context)?.url, false);
  if (address === undefined) return undefined;
  const control = connect(context, address);
  await control.stop();
  const { clock } = context.machine;
  const deadline = clock.now() + STOP_TIMEOUT_MS;
  while (clock.now() < deadline && (await control.status().catch(() => undefined)) !== undefined)
    await clock.sleep(POLL_INTERVAL_MS);
  return address.origin;
}

/** The variables that point a command at a server, with a token that is the same each time. @throws UsageError without a server */
export async function loadVariables(
  context: HostContext,
  url: string | undefined,
): Promise<Record<string, string>> {
  const address = findServerAddress(context, url, false);
  if (address !== undefined)
    return createVariables(address.origin, connect(context, address), address.secret);
  throw new UsageError('no sandbox server is running', {
    code: 'no_sandbox_server',
    hint: 'Start one: ttctl sandbox start --detach. For the embedded sandbox, set only TTCTL_PROFILE=sandbox.',
  });
}

/** What points a command at a sandbox server, with a token of the first workspace's owner: one, however often. */
export async function createVariables(
  url: string,
  control: SandboxControl,
  secret: string,
): Promise<Record<string, string>> {
  const { workspaces, rate_limit: rateLimit } = await control.status();
  const { token } = await control.createToken({ keptAs: 'sandbox env', scopes: ['read', 'write'] });
  return buildClientVariables(url, { token, workspace: workspaces[0]?.id, secret, rateLimit });
}

/**
 * The server that is meant: at `url`, the running one, at a loopback address of the settings. None: the embedded one.
 * @param embedded whether the settings may mean the embedded one, whatever else runs
 */
export function findServerAddress(
  context: Omit<HostContext, 'onEnd'>,
  url: string | undefined,
  embedded = context.settings.embedded,
): ServerAddress | undefined {
  if (url !== undefined && !isOnThisMachine(url)) {
    const reason = 'A sandbox only listens on loopback.';
    throw new UsageError(`${url} is not on this machine`, { reason });
  }
  if (embedded && url === undefined) return undefined;
  const locator = findRunningServer(context);
  const { baseUrl } = context.settings;
  const source = url === undefined && baseUrl && isOnThisMachine(baseUrl.value) ? baseUrl : undefined;
  const wanted = url ?? source?.value;
  const origin = wanted === undefined ? locator?.url : new URL(wanted).origin;
  if (origin === undefined) return undefined;
  if (locator?.url === origin) {
    const hint = `It is process ${locator.pid}: end it, and start another with ttctl sandbox start.`;
    return { origin, secret: locator.secret, hint };
  }
  // The settings may name a server that is long gone.
  const from = source === undefined ? '--url' : describeSource(source);
  const [first, env] =
    locator === undefined
      ? ['Start one with ttctl sandbox start', 'ttctl sandbox env']
      : [`A sandbox is running at ${locator.url}`, commandLine`ttctl sandbox env --url ${locator.url}`];
  const unset = source?.from === 'environment' ? `, or unset ${from}` : '';
  const hint = `The address comes from ${from}. ${first}. Then run: eval "$(${env})"${unset}.`;
  // The secret of a server that this user did not start from the same state directory.
  return { origin, secret: context.machine.env.TTCTL_SANDBOX_SECRET ?? '', hint };
}

/** Read as a URL is: `http://127.0.0.1:x@elsewhere` is elsewhere. */
function isOnThisMachine(url: string): boolean {
  if (findAddressProblem(url) !== undefined) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopback(hostname);
}

/** The running server, by its locator file, or undefined; the file of one that is gone counts for nothing. */
export function findRunningServer({
  machine,
  directories: { state },
}: Pick<HostContext, 'machine' | 'directories'>): Locator | undefined {
  const locator = state === undefined ? undefined : readLocator(state);
  try {
    if (locator !== undefined) machine.kill(locator.pid, 0);
    return locator;
  } catch (error) {
    // It lives and belongs to somebody else.
    return getErrno(error) === 'EPERM' ? locator : undefined;
  }
}

const LOCATOR_FILE = 'sandbox.json';

/** @throws Failure for one that somebody else could have written: it says where a secret is sent */
function readLocator(directory: string): Locator | undefined {
  const fields = parseJsonValue(readOwnFile(join(directory, LOCATOR_FILE))?.toString('utf8') ?? '');
  const { url, secret, pid } = isRecord(fields) ? fields : {};
  const isWhole = typeof url === 'string' && typeof secret === 'string' && Number.isInteger(pid);
  return isWhole ? (fields as unknown as Locator) : undefined;
}

export function writeLocator(directory: string, locator: Locator): void {
  makePrivateDirectory(directory);
  const text = `${JSON.stringify(locator, null, 2)}\n`;
  writeDurably(join(directory, LOCATOR_FILE), text, { mode: 0o600 });
}

export function removeLocator(directory: string, pid: number): void {
  if (readLocator(directory)?.pid === pid) rmSync(join(directory, LOCATOR_FILE), { force: true });
}

/** Snapshots read and write whole states, and webhooks are sent to before the answer. */
const MAX_WAIT_MS = 60_000;

function createRemoteControl(
  { origin: url, secret, hint }: ServerAddress,
  { clock }: Machine,
): SandboxControl {
  const sender = createHttpSender({ timeoutMs: MAX_WAIT_MS, userAgent: 'ttctl', env: {}, clock });
  const control = mapOperations(async (name, args) => {
    const method = getControlMethod(name) ?? 'GET';
    const sent = Object.entries(args).filter(([, value]) => value !== undefined);
    const values = method === 'GET' ? {} : { body: args };
    const query = method === 'GET' ? sent.map(([key, value]) => [key, String(value)] as const) : [];
    const headers = { 'x-sandbox-secret': secret, connection: 'close' };
    const request = { method, base: url, path: `${CONTROL_PREFIX}${name}`, query, headers, ...values };
    const {
      status,
      headers: answered,
      body,
    } = await sender.transport(request).catch((error: unknown) => {
      if (!(error instanceof NetworkError)) throw error;
      const facts = { code: 'network', reason: error.reason ?? error.message, hint } as const;
      throw new NetworkError(`the sandbox at ${url} is not responding`, error.sent, facts);
    });
    if (answered[CONTROL_MARK] === undefined)
      throw new Failure(`${url} is not a sandbox of ttctl`, {
        ...{ code: 'sandbox', exit: EXIT.tryLater, hint },
        reason: 'Something else answers there.',
      });
    const parsed = parseJson(body);
    if (status === 200 && 'value' in parsed) return parsed.value;
    const message = `the sandbox answered with ${status}`;
    throw parseFailure(body, new Failure(message, { code: 'sandbox', exit: EXIT.fault }));
  });
  return {
    ...control,
    status: async () => ({ ...(await control.status()), url }),
    reset: async (args) => ({ ...(await control.reset(args)), url }),
  };
}

export function parseFailure(text: string, fallback: Failure): Failure {
  const parsed = parseJsonValue(text);
  const error = isRecord(parsed) ? parsed.error : undefined;
  return isRecord(error) ? parseFailureJson(error, fallback) : fallback;
}
