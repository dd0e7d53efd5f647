import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SandboxResponse } from '../../src/sandbox/exchange.ts';
import { type FaultyService, startFaultyService } from '../support/faulty-service.ts';
import { runInProcess } from '../support/in-process.ts';
import { words } from '../support/words.ts';

/** A service that writes numbers as texts, ids too, and statuses in another case: the same values. */

const PAGING = new Set(['current_page', 'last_page', 'per_page', 'total', 'total_pages', 'page']);

const toTexts = (answer: string): string =>
  JSON.stringify(JSON.parse(answer), (name, value) => {
    if (typeof value === 'number' && !PAGING.has(name))
      return /^(rate|amount|weekly_hours_limit|total_hours)$/.test(name) ? value.toFixed(2) : String(value);
    return name === 'status' && typeof value === 'string' ? value.toUpperCase() : value;
  });

let folder: string;
let service: FaultyService;
let isText: boolean;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-meaning-'));
  isText = false;
  const rewrite = (line: string, answer: SandboxResponse): SandboxResponse =>
    isText && line.startsWith('GET') ? { ...answer, body: toTexts(answer.body) } : answer;
  service = await startFaultyService({ seed: 'agency', rewrite, keyOf: (line) => line });
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (line: string) =>
  runInProcess(words(line), {
    env: { ...service.env, TTCTL_STATE_DIR: join(folder, 'state'), TTCTL_CONFIG_DIR: join(folder, 'config') },
  });

it.each([
  [false, true],
  [true, false],
  [true, true],
])('R11: workspaces diff of its own export is clean (as texts: %s, then %s)', async (first, then) => {
  isText = first;
  const exported = await run(`workspaces export ${join(folder, 'files')}`);
  expect(exported.exit, exported.stderr).toBe(0);
  isText = then;
  const { exit, stdout, stderr } = await run(`workspaces diff ${join(folder, 'files')}`);
  expect([exit, stderr], stdout).toEqual([0, expect.stringContaining('The workspace matches the files')]);
});

it('R11: what waits is found and approved, its numbers compared', async () => {
  const line = 'timesheets approve --all --yes --dry-run --json';
  const approved = await run(`${line} --where "total_hours > \`1\` && member.id != \`1\`"`);
  isText = true;
  const asTexts = await run(`${line} --where "total_hours > \`1\` && member.id != \`1\`"`);
  expect(JSON.parse(approved.stdout).length).toBeGreaterThan(0);
  expect([asTexts.exit, asTexts.stderr]).toEqual([0, approved.stderr]);
  expect(JSON.parse(asTexts.stdout)).toHaveLength(JSON.parse(approved.stdout).length);
});
