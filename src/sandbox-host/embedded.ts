import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Directories } from '../config/environment.ts';
import type { Sourced } from '../config/values.ts';
import { EXIT, Failure } from '../errors.ts';
import { exchangeWithDeadline } from '../http/send.ts';
import type { HttpRequest, HttpResponse, Transport } from '../http/transport.ts';
import { stringifyJson } from '../json.ts';
import type { SandboxRequest, WireFault } from '../sandbox/answer.ts';
import { openLogFile } from '../sandbox/log.ts';
import { BASE_PATH, OpenSandbox } from '../sandbox/open.ts';
import { createFileSnapshots } from '../sandbox/snapshots.ts';
import { findFirstOwner, toSandboxTime } from '../sandbox/state.ts';
import { StateStore, type StoreDisk } from '../sandbox/store.ts';
import { findKeptToken } from '../sandbox/tokens.ts';
import type { Workspace } from '../sandbox/world.ts';
import { withLock } from '../storage/lock.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { createDiskFailure, makePrivateDirectory, writeDurably } from '../storage/write.ts';

/** The sandbox in the process of the command itself: no server, no port, one file of state. */

/** How long a command may stay for webhooks; the rest is left to the next one. */
const MAX_WAIT_MS = 3_000;

/** What the way to the sandbox has in common with one over a network. */
export interface EmbeddedOptions {
  /** For one whole request; default 60 s. */
  readonly timeoutMs?: number;
  /** Ends a request, and what is being sent to webhooks. */
  readonly interrupt?: AbortSignal;
}

/**
 * The embedded sandbox over its files; the first use seeds the demo. Several processes may use them at once: each
 * request is answered under their lock. Failures (exit 1) tell that a file is damaged or cannot be written.
 */
export class EmbeddedSandbox extends OpenSandbox<StateStore> {
  readonly #clock: Clock;
  readonly #options: EmbeddedOptions;

  constructor(disk: StoreDisk, options: EmbeddedOptions = {}) {
    const { clock, file } = disk;
    super({
      ...{ state: new StateStore(disk), clock, signal: options.interrupt, limits: 'off' },
      log: openLogFile(`${file}.log`),
      snapshots: createFileSnapshots(dirname(file), disk),
      about: () => ({ kind: 'embedded', state: file }),
    });
    this.#clock = clock;
    this.#options = options;
  }

  /** Sends to webhooks what is due, for a few seconds; to be called after the output. */
  close = async (): Promise<void> => {
    await this.idle(this.#clock.now() + MAX_WAIT_MS);
    await this.state.settle();
  };

  /** As a network would carry it. @throws NetworkError where a fault asks for it */
  transport: Transport = async (request) => {
    const { wire, fault: _fault, ...response } = await this.answer(toSandboxRequest(request));
    return wire === undefined ? response : this.#simulateWire(request, response, wire);
  };

  /** A Personal Access Token of the owner of the first workspace that is valid now: one, however often. */
  async ownerToken(): Promise<string> {
    const world = await this.state.peek();
    if (world !== undefined) {
      const owner = findFirstOwner(world)?.id ?? 0;
      const kept = findKeptToken(world, 'embedded', owner, toSandboxTime(world, this.#clock.now()));
      if (kept !== undefined) return kept.token;
    }
    const { workspaces } = await this.control.status();
    const as = workspaces[0]?.owner ?? '';
    return (await this.control.createToken({ as, keptAs: 'embedded', scopes: ['read', 'write'] })).token;
  }

  /** Whether the rate limits apply (`sandbox reset --limits`). */
  async hasLimits(): Promise<boolean> {
    return (await this.state.peek())?.limits === true;
  }

  /** The workspace of this id or name; the first where none is named. @throws Failure (exit 5) for one that there is not */
  async workspaceId(wanted: Sourced<string> | undefined): Promise<number> {
    const world = (await this.state.peek()) ?? (await this.state.use((seeded) => seeded));
    return findWorkspace(wanted, Object.values(world.spaces)).id;
  }

  /** The answer comes late, or not at all. Deadline, interrupt and errors are those of a real connection. */
  #simulateWire(
    request: HttpRequest,
    response: HttpResponse,
    { latency_ms, cut }: WireFault,
  ): Promise<HttpResponse> {
    const clock = this.#clock;
    const { timeoutMs = 60_000, interrupt = new AbortController().signal } = this.#options;
    return exchangeWithDeadline(
      request,
      async (progress) => {
        // The sandbox has had it.
        progress.sent = true;
        if (latency_ms > 0) await clock.sleep(latency_ms, progress.signal);
        progress.answered = cut === 'middle';
        if (cut !== undefined)
          throw Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
        return response;
      },
      { clock, timeoutMs, interrupt, host: 'the embedded sandbox', proxy: undefined },
    );
  }
}

export function getStateFile({ state }: Directories): string | undefined {
  return state && `${state}/sandbox/world.json`;
}

/**
 * @param writeNamed where somebody named the file: what else lies in its folder is not ours to close
 * @throws Failure (exit 1) where no state directory is known
 */
export function createSandboxDisk(
  file: string | undefined,
  clock: Clock,
  writeNamed?: StoreDisk['write'],
): StoreDisk {
  if (file === undefined) {
    throw new Failure('no directory to store the sandbox in', {
      code: 'no_state_directory',
      exit: EXIT.fault,
      hint: 'Set TTCTL_STATE_DIR (or HOME), or use a server in memory: ttctl sandbox start',
    });
  }
  makePrivateDirectory(dirname(file));
  const read = (path: string) => readOwnFile(path, writeNamed && { kind: 'named' });
  return { file, clock, lock: withLock, read, write: writeNamed ?? writeDurably, append };
}

/** Plainly: of a line that the power took with it, as of one that was torn off, the practice data are without. */
export function append(path: string, length: number, data: Buffer): void {
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
    try {
      if (fstatSync(fd).size !== length) ftruncateSync(fd, length);
      for (let written = 0; written < data.length; )
        written += writeSync(fd, data, written, data.length - written, length + written);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw createDiskFailure(error, 'write', path);
  }
}

/** A request as the wire would carry it. */
function toSandboxRequest({ method, path, query, headers, form, body }: HttpRequest): SandboxRequest {
  const place = { method, path: `${BASE_PATH}${path}`, query };
  if (form !== undefined) {
    const text = new URLSearchParams(form.map(([name, value]): [string, string] => [name, value]));
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return { ...place, headers: { ...headers, ...type }, body: text.toString() };
  }
  if (body === undefined) return { ...place, headers, body: '' };
  return { ...place, headers: { ...headers, 'content-type': 'application/json' }, body: stringifyJson(body) };
}

/** Why a workspace is asked for, and how to go on without it: it is likely one of another service. */
const SOURCES: Readonly<Record<Sourced<unknown>['from'], { reason?: string; remedy: string }>> = {
  flag: { remedy: 'Omit --workspace to use the first, or name another.' },
  environment: {
    reason: 'It comes from TTCTL_WORKSPACE, which may be meant for another service.',
    remedy: 'Unset TTCTL_WORKSPACE to use the first, or name another with --workspace.',
  },
  profile: {
    reason: 'It is the default workspace of profile sandbox.',
    remedy:
      'Choose another with --workspace, or change the default with ttctl --profile sandbox workspaces use <workspace>.',
  },
  default: { remedy: 'Choose another with --workspace.' },
};

function findWorkspace(wanted: Sourced<string> | undefined, workspaces: readonly Workspace[]): Workspace {
  const text = wanted?.value.toLowerCase() ?? '';
  const isId = /^\d{1,15}$/.test(text);
  const found = workspaces.find(({ id, workspace_name: name }) =>
    isId ? id === Number(text) : wanted === undefined || name.toLowerCase() === text,
  );
  if (found !== undefined) return found;
  const { reason, remedy } = SOURCES[wanted?.from ?? 'default'];
  const known = workspaces.map(({ id, workspace_name: name }) => `${id} ${name}`).join(', ');
  throw new Failure(`the sandbox has no workspace "${wanted?.value}"`, {
    ...{ code: 'not_found', exit: EXIT.notFound, hint: `${remedy} The sandbox has: ${known}.` },
    ...(reason === undefined ? {} : { reason }),
  });
}
