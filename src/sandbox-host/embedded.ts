import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Directories } from '../config/environment.ts';
import { describeSource, type Sourced } from '../config/settings.ts';
import { EXIT, Failure, parseFailureJson } from '../errors.ts';
import { exchangeWithDeadline } from '../http/send.ts';
import type { HttpRequest, HttpResponse } from '../http/transport.ts';
import { stringifyJson } from '../json.ts';
import { BASE_PATH } from '../sandbox/app.ts';
import { Problem } from '../sandbox/basics.ts';
import { mapOperations, type SandboxControl } from '../sandbox/control.ts';
import { openLogFile } from '../sandbox/log.ts';
import { open } from '../sandbox/open.ts';
import { createFileSnapshots } from '../sandbox/snapshots.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';
import { FileStore } from './store.ts';

/** The sandbox in the process of the command itself: no server, no port, one file of state. */
export type EmbeddedSandbox = ReturnType<typeof openEmbedded>;

/** How long a command may stay for webhooks; the rest is left to the next one. */
const MAX_WAIT_MS = 3_000;

/**
 * The embedded sandbox over its files; the first use seeds the demo. Several processes may use them at once: each
 * request is answered under their lock. Failures (exit 1) tell that a file is damaged or cannot be written.
 * @param interrupt ends a request, and what is being sent to webhooks
 * @param timeoutMs for one whole request
 */
export function openEmbedded(file: string, clock: Clock, interrupt: AbortSignal, timeoutMs = 60_000) {
  const state = new FileStore(file, clock);
  const sandbox = open({
    ...{ store: state, clock, signal: interrupt, limits: 'off', log: openLogFile(`${file}.log`) },
    snapshots: createFileSnapshots(dirname(file), { read: readOwnFile, write: writeDurably }),
    about: () => ({ kind: 'embedded', state: file }),
  });
  const control = createLocalControl(sandbox.control);
  return {
    ...{ state, control },
    async transport(request: HttpRequest): Promise<HttpResponse> {
      const { method, path, query, form, body } = request;
      const json = body === undefined ? '' : stringifyJson(body);
      const text = form === undefined ? json : new URLSearchParams(form as [string, string][]).toString();
      const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
      const headers = text === '' ? request.headers : { ...request.headers, 'content-type': type };
      const sent = { method, path: `${BASE_PATH}${path}`, query, headers, body: text };
      const { wire, ...response } = await sandbox.answer(sent);
      if (wire === undefined) return response;
      // The answer comes late, or not at all. Deadline, interrupt and errors are those of a real connection.
      return exchangeWithDeadline(
        request,
        async (progress) => {
          // The sandbox has had it.
          progress.sent = true;
          if (wire.latency_ms > 0) await clock.sleep(wire.latency_ms, progress.signal);
          progress.answered = wire.cut === 'middle';
          if (wire.cut !== undefined)
            throw Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
          return response;
        },
        { clock, timeoutMs, interrupt, host: 'the embedded sandbox', proxy: undefined },
      );
    },
    async ownerToken(): Promise<string> {
      return (await control.createToken({ keptAs: 'embedded', scopes: ['read', 'write'] })).token;
    },
    async workspaceId(wanted: Sourced<string> | undefined): Promise<number> {
      const world = (await state.peek()) ?? (await state.use((seeded) => seeded));
      const text = wanted?.value.toLowerCase() ?? '';
      const isId = /^\d{1,15}$/.test(text);
      for (const { id, workspace_name: name } of Object.values(world.spaces))
        if (isId ? id === Number(text) : wanted === undefined || name.toLowerCase() === text) return id;
      const known = Object.values(world.spaces).map((one) => `${one.id} ${one.workspace_name}`);
      throw new Failure(`the sandbox has no workspace "${wanted?.value}"`, {
        ...{ code: 'not_found', exit: EXIT.notFound },
        reason: wanted === undefined ? '' : `It comes from ${describeSource(wanted)}.`,
        hint: `Name another with --workspace. The sandbox has: ${known.join(', ')}.`,
      });
    },
    /** Sends to webhooks what is due, for a few seconds; to be called after the output. */
    async close(): Promise<void> {
      await sandbox.idle(clock.now() + MAX_WAIT_MS);
      await state.settle();
    },
  };
}

/** The state file of the embedded sandbox. @throws Failure (exit 1) where no state directory is known */
export function locateSandbox({ state }: Pick<Directories, 'state'>): string {
  if (state === undefined) {
    const hint = 'Set TTCTL_STATE_DIR (or HOME), or use a server in memory: ttctl sandbox start';
    const facts = { code: 'no_state_directory', exit: EXIT.fault, hint } as const;
    throw new Failure('no directory to store the sandbox in', facts);
  }
  makePrivateDirectory(`${state}/sandbox`);
  return `${state}/sandbox/world.json`;
}

export async function tellProblem<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { message, code, exit, reason, hint, cause } = error;
    const fallback = new Failure(message, { code: 'sandbox', exit: EXIT.fault, cause });
    throw parseFailureJson({ message, code, exit, reason, hint }, fallback);
  }
}

export function createLocalControl(control: SandboxControl): SandboxControl {
  return mapOperations((name, args) => tellProblem<unknown>(() => control[name](args as never)));
}
