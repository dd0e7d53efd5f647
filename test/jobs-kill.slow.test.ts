import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseRun } from '../src/changes/journal.ts';
import { chanceOf, type Fault, type FaultyService, startFaultyService } from './support/faulty-service.ts';
import { cleanHome, finished, type Home, runBinary, startBinary } from './support/process.ts';
import { runFiles } from './support/runs.ts';

/**
 * Runs that are killed at random instants while a tenth of the answers goes wrong, and gone on with to the end. The service's own ledger says what was applied. `npm run test:kills` does many.
 */

const KILLS = Number(process.env.TTCTL_KILLS ?? 24);
const SEED = Number(process.env.TTCTL_SEED ?? Date.now() % 1_000_000);
const ROWS = 300;
/** Some rows are equal: both are meant, and each must be there once. */
const TWINS = 10;

const FAULTS: readonly Fault[] = [
  'cut after',
  '500 after',
  'silent after',
  'cut before',
  '500 before',
  'silent before',
  'refused',
];

interface Trial {
  readonly service: FaultyService;
  readonly home: Home;
  readonly chance: () => number;
  /** The command line, and what it reads on stdin. */
  readonly begin: readonly string[];
  readonly input: string;
  /** How often each record is meant to be written. */
  readonly meant: Map<string, number>;
  /** Records that somebody else changes before they are sent: none of them is to be written. */
  readonly moved: Set<string>;
  /** What others do after a kill. */
  readonly disturb?: (journal: string) => Promise<void>;
  /** The run that was before, by its file. */
  readonly earlier?: string | undefined;
}

const faultsOf = (chance: () => number) => (): Fault | undefined =>
  chance() < 0.1 ? FAULTS[Math.floor(chance() * FAULTS.length)] : undefined;

const count = (keys: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

/** New records, of which the proof needs what was there before. */
const creations = async (chance: () => number): Promise<Trial> => {
  const home = cleanHome();
  const service = await startFaultyService({
    seed: 'agency',
    keyOf: (_line, body) => String(body['expense_name']),
    fault: faultsOf(chance),
    latency: () => chance() * 40,
  });
  const { stdout } = await runBinary(['expenses', 'categories', '--output', 'ids'], {
    env: { ...home.env, ...service.env },
  });
  const category = stdout.split('\n')[0];
  const names = Array.from({ length: ROWS }, (_, n) => `Item ${n % (ROWS - TWINS)}`);
  const lines = names.map(
    (name) => `${name},2026-11-${String((name.length % 20) + 1).padStart(2, '0')},12.5`,
  );
  const input = `name,date,amount,category\n${lines.map((line) => `${line},${category}\n`).join('')}`;
  const begin = ['expenses', 'create', '--from-file', '-', '--yes', '--json'];
  return { service, home, chance, begin, input, meant: count(names), moved: new Set() };
};

/** Records that move from one state to another, once. */
const decisions = async (chance: () => number): Promise<Trial> => {
  const home = cleanHome();
  const service = await startFaultyService({
    seed: 'month-end',
    keyOf: (line) => line.split('/')[2] ?? '',
    fault: faultsOf(chance),
    latency: () => chance() * 40,
  });
  const { stdout } = await runBinary(['timesheets', 'list', '--status', 'submitted', '--output', 'ids'], {
    env: { ...home.env, ...service.env },
  });
  const begin = ['timesheets', 'approve', '-', '--yes', '--json'];
  const meant = count(stdout.trim().split('\n'));
  return { service, home, chance, begin, input: stdout, meant, moved: new Set() };
};

/** Somebody else rejects a timesheet: nothing of it goes through the faults or into the ledger. */
const rejectAside = async ({ hosted, env }: FaultyService, id: string): Promise<void> => {
  const { status } = await hosted.answer({
    method: 'PUT',
    path: `/api/v2/timesheets/${id}/reject`,
    query: [['workspace_id', env['TTCTL_WORKSPACE'] ?? '']],
    headers: { authorization: `Bearer ${env['TTCTL_TOKEN']}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workspace_id: Number(env['TTCTL_WORKSPACE']), reason: 'Theirs' }),
  });
  expect(status).toBe(200);
};

/** How many records others change at a time. */
const DISTURBED = 5;

/** The same decisions as a plan. Others change some of its records before it is applied, and after each kill. */
const plans = async (chance: () => number): Promise<Trial> => {
  const trial = await decisions(chance);
  const { service, home, input, meant, moved } = trial;
  const plan = join(home.folder, 'plan.ndjson');
  const planned = await runBinary(['timesheets', 'approve', '-', '--plan', plan], {
    env: { ...home.env, ...service.env },
    input,
  });
  expect([planned.exit, service.arrived.size], planned.stderr).toEqual([0, 0]);
  const moveSome = async (ids: readonly string[]): Promise<void> => {
    for (const id of [...ids].sort(() => chance() - 0.5).slice(0, DISTURBED)) {
      await rejectAside(service, id);
      moved.add(id);
      meant.delete(id);
    }
  };
  await moveSome([...meant.keys()]);
  /** Those that were never on their way. */
  const disturb = async (journal: string): Promise<void> => {
    const { rows } = parseRun(readFileSync(journal, 'utf8'));
    await moveSome(
      rows
        .filter(({ step, sent, target }) => step === 'planned' && sent === undefined && !moved.has(target))
        .map(({ target }) => target),
    );
  };
  const begin = ['plan', 'apply', plan, '--yes', '--json'];
  return { ...trial, begin, input: '', disturb };
};

/** The undo of a run that went well. */
const undoing = async (chance: () => number): Promise<Trial> => {
  const home = cleanHome();
  const fault = faultsOf(chance);
  let begun = false;
  const service = await startFaultyService({
    seed: 'month-end',
    keyOf: (line) => (line.includes('/unsubmit') ? line : (line.split('/')[2] ?? '')),
    fault: () => (begun ? fault() : undefined),
    latency: () => (begun ? chance() * 40 : 0),
  });
  const env = { ...home.env, ...service.env };
  const { stdout } = await runBinary(['timesheets', 'list', '--status', 'submitted', '--output', 'ids'], {
    env,
  });
  const { exit } = await runBinary(['timesheets', 'unsubmit', '-', '--yes'], { env, input: stdout });
  expect(exit).toBe(0);
  begun = true;
  const journal = journalOf({ home });
  const begin = ['undo', idIn(journal) ?? '', '--yes', '--json'];
  return {
    service,
    home,
    chance,
    begin,
    input: '',
    meant: count(stdout.trim().split('\n')),
    moved: new Set(),
    earlier: journal,
  };
};

const journalOf = (trial: Pick<Trial, 'home' | 'earlier'>): string | undefined => {
  const state = join(trial.home.folder, '.local/state/ttctl');
  return runFiles(state).find((path) => path !== trial.earlier);
};

/** Whether rows were on their way when the run ended. */
const isMidway = (journal: string): boolean =>
  parseRun(readFileSync(journal, 'utf8')).rows.some(({ step }) => step === 'sending');

/** Exit of a process that SIGKILL ended. */
const KILLED = 137;

const idIn = (journal: string | undefined): string | undefined => /([^/]+)\.jsonl$/.exec(journal ?? '')?.[1];

const idOf = (trial: Trial): string | undefined => idIn(journalOf(trial));

interface Row {
  readonly target: string;
  readonly status: string;
  readonly error: { readonly code: string } | null;
}

interface Through {
  readonly rows: readonly Row[];
  readonly killed: number;
  /** Of those, how many found writes on their way. */
  readonly midway: number;
}

const isMoved = ({ status, error }: Row): boolean => status === 'skipped' && error?.code === 'moved';
const isOpen = (row: Row): boolean => row.status !== 'done' && row.status !== 'failed' && !isMoved(row);

const rowsOf = async (trial: Trial, id: string): Promise<readonly Row[]> => {
  const env = { ...trial.home.env, ...trial.service.env };
  const { stdout } = await runBinary(['jobs', 'show', id, '--json'], { env });
  return JSON.parse(stdout);
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Mostly in the middle of the writes, else at any instant: in the look-ups, before the journal is there. */
const killSometime = async ({ service, chance }: Trial, child: ChildProcess): Promise<void> => {
  if (chance() < 0.8) {
    await service.afterWrites(1 + Math.floor(chance() * 60));
    await pause(chance() * 20);
  } else await pause(chance() * 500);
  child.kill('SIGKILL');
};

/** One run, begun or gone on with, to its end or its death. */
const runOnce = async (trial: Trial, kill: boolean): Promise<number> => {
  const env = { ...trial.home.env, ...trial.service.env, TTCTL_TIMEOUT: '2', TTCTL_SETTLE: '1' };
  const id = idOf(trial);
  const child = startBinary(id === undefined ? trial.begin : ['jobs', 'resume', id, '--json'], { env });
  const ended = finished(child, id === undefined ? trial.input : '');
  if (kill) killSometime(trial, child);
  const { exit, stderr } = await ended;
  if (exit !== KILLED) expect([0, 7, 8], stderr).toContain(exit);
  return exit;
};

/** Kills the run again and again, and goes on with it, until it has come to its end. */
const carryThrough = async (
  trial: Trial,
  kills: number,
  between: (journal: string) => void = () => {},
): Promise<Through> => {
  let [killed, midway] = [0, 0];
  for (let round = 0; round < kills + 60; round += 1) {
    const exit = await runOnce(trial, killed < kills);
    const [journal, id] = [journalOf(trial), idOf(trial)];
    if (exit === KILLED) killed += 1;
    if (journal === undefined || id === undefined) continue;
    if (exit === KILLED) {
      if (isMidway(journal)) midway += 1;
      between(journal);
      await trial.disturb?.(journal);
      continue;
    }
    const rows = await rowsOf(trial, id);
    if (!rows.some(isOpen)) return { rows, killed, midway };
  }
  throw new Error('the run did not come to its end');
};

const keyOf = ({ target }: Row): string => target;

/** What the report says against what the ledger says. */
const audit = ({ service, meant, moved }: Trial, rows: readonly Row[]): readonly string[] => {
  const done = count(rows.filter(({ status }) => status === 'done').map(keyOf));
  const failed = count(rows.filter(({ status }) => status === 'failed').map(keyOf));
  const faults: string[] = [];
  for (const [key, times] of meant) {
    const applied = service.applied.get(key) ?? 0;
    if (applied > times) faults.push(`${key} was applied ${applied} times, not ${times}`);
    if (applied !== (done.get(key) ?? 0))
      faults.push(`${key} was applied ${applied} times, and ${done.get(key) ?? 0} are reported done`);
    if ((done.get(key) ?? 0) + (failed.get(key) ?? 0) !== times) faults.push(`${key} is lost in the report`);
  }
  for (const key of moved) if (service.arrived.has(key)) faults.push(`${key} was sent, though it has moved`);
  const passed = rows.filter(isMoved).map(keyOf).sort();
  if (passed.join() !== [...moved].sort().join()) faults.push(`skipped are ${passed}, not ${[...moved]}`);
  const total = [...meant.values()].reduce((sum, times) => sum + times, moved.size);
  if (rows.length !== total) faults.push(`${rows.length} rows of ${total} are in the report`);
  return faults;
};

const trials = [
  ['creations', creations],
  ['decisions', decisions],
  ['plans', plans],
  ['an undo', undoing],
] as const;

/** How often one run is killed. */
const EACH = 6;

const sweep = async (make: (chance: () => number) => Promise<Trial>, kills: number, from: number) => {
  let [killed, midway] = [0, 0];
  for (let round = 0; killed < kills; round += 1) {
    const seed = from + round;
    const trial = await make(chanceOf(seed));
    try {
      const through = await carryThrough(trial, Math.min(EACH, kills - killed));
      killed += through.killed;
      midway += through.midway;
      expect(audit(trial, through.rows), `TTCTL_SEED=${seed}`).toEqual([]);
    } finally {
      await trial.service.close();
      trial.home.remove();
    }
  }
  return { killed, midway };
};

// At the same time, for most of it is waiting.
describe.concurrent(`a run killed at random instants (TTCTL_SEED=${SEED})`, () => {
  it.each(trials)(
    '%s: nothing is applied twice, nothing is lost',
    { timeout: KILLS * 20_000 },
    async (name, make) => {
      const { killed, midway } = await sweep(make, Math.ceil(KILLS / trials.length), SEED);
      process.stderr.write(`${name}: ${killed} kills, ${midway} with writes on their way\n`);
      // Four of five are meant to be. Of a few any number may be, but hardly none.
      expect(midway).toBeGreaterThan(killed < 50 ? 0 : killed / 2);
    },
  );

  it('whose journal forgets what it was sending is found out', async () => {
    // What a program does that goes on blindly: a row that was on its way counts as not sent.
    const forget = (journal: string): void => {
      const lines = readFileSync(journal, 'utf8').split('\n');
      const kept = lines.filter((line) => !/"step":"(sending|unknown)"/.test(line));
      writeFileSync(journal, kept.join('\n'));
      expect(parseRun(kept.join('\n')).damaged).toBe(false);
    };
    const trial = await creations(chanceOf(SEED));
    try {
      const { rows } = await carryThrough(trial, EACH, forget);
      expect(audit(trial, rows)).not.toEqual([]);
    } finally {
      await trial.service.close();
      trial.home.remove();
    }
  });
});
