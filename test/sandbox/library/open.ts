import { expect, onTestFinished } from 'vitest';
import { createSandbox } from '../../../src/sandbox/library/sandbox.ts';
import type { HandleRequest, Sandbox, SandboxOptions } from '../../../src/sandbox/library/types.ts';

/** Sandboxes, closed after the test that opened them, and requests in one line. */

export const NOW = '2026-03-18T10:00:00.000Z';

/** A sandbox at NOW, whose clock stands still. */
export const open = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const sandbox = await createSandbox({ now: NOW, frozen: true, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
};

// biome-ignore lint/suspicious/noExplicitAny: tests read literal envelopes
export type Json = any;

/** One request as the owner, or with another token; what it answers. */
export const ask = (
  sandbox: Sandbox,
  request: HandleRequest,
): { status: number; body: Json; headers: Readonly<Record<string, string>> } => {
  const token = request.token ?? sandbox.token().token;
  const answer = sandbox.handle({ query: { workspace_id: sandbox.workspaceId }, token, ...request });
  const isJson = answer.headers['content-type'] === 'application/json' && answer.body !== '';
  return { ...answer, body: isJson ? JSON.parse(answer.body) : answer.body };
};

/** Ids of the timesheets of the first workspace in a state. */
export const sheets = (sandbox: Sandbox, status: string): string[] =>
  (sandbox.state().workspaces[0]?.timesheets ?? [])
    .filter((sheet) => sheet.status === status)
    .map((sheet) => String(sheet.id));

export const first = <T>(values: readonly T[]): T => {
  const [value] = values;
  expect(value).toBeDefined();
  return value as T;
};
