import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseRun } from '../src/changes/journal.ts';
import { chanceOf, type Fault, startFaultyService } from './support/faulty-service.ts';
import { finished } from './support/process.ts';
import { runFiles } from './support/runs.ts';
import { openCli, type Row } from './support/use-cli.ts';

/**
 * Runs that are killed at random instants while a tenth of the answers goes wrong, and gone on with to the end. The
 * service's own ledger says what was applied. `npm run test:kills` does many.
 */

const KILLS = Number(process.env.TTCTL_KILLS ?? 24);
const SEED = Number(process.env.TTCTL_SEED ?? Date.now() % 1_000_000);
/** How often one run is killed. */
const EACH = 6;
/** Exit of a process that SIGKILL ended. */
const KILLED = 137;

interface Trial {
  /** The line, and what it reads on stdin. */
  readonly begin: string;
  readonly input: string;
  /** The keys of the records that are to be written, each as often as it is to be. */
  readonly meant: readonly string[];
  /** Others change some of what was never on its way, before the run and after each kill. */
  readonly isDisturbed?: boolean;
}
type Place = Awaited<ReturnType<typeof open>>;

/** The program before a service that fails once it is armed; what was before counts for nothing. */
const open = async (seed: string, chance: () => number) => {
  let isArmed = false;
  const silent = ['cut', '500', 'silent'].flatMap((what) => [`${what} before`, `${what} after`]);
  const faults = [...silent, 'refused'] as readonly Fault[];
  const service = await startFaultyService({
    seed,
    keyOf: (line, body) => (isArmed ? String(body['expense_name'] ?? line.split('/')[2]) : 'before'),
    fault: () => (isArmed && chance() < 0.1 ? faults[Math.floor(chance() * faults.length)] : undefined),
    latency: () => (isArmed ? chance() * 40 : 0),
  });
  const cli = await openCli({ env: service.env });
  let before: readonly string[] = [];
  return {
    ...{ cli, service, chance },
    arm() {
      isArmed = true;
      Object.assign(cli.env, { TTCTL_TIMEOUT: '2', TTCTL_SETTLE: '1' });
      before = runFiles(cli.state);
    },
    journal: () => runFiles(cli.state).find((path) => !before.includes(path)),
    submitted: async () => (await cli.rows('timesheets list --status submitted')).map(({ id }) => String(id)),
    close: () => Promise.all([service.close(), cli.close()]),
  };
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const idIn = (journal: string): string => /([^/]+)\.jsonl$/.exec(journal)?.[1] ?? '';
const rowsIn = (journal: string) => parseRun(readFileSync(journal, 'utf8')).rows;
const isMoved = (row: Row): boolean => row['status'] === 'skipped' && Object(row['error']).code === 'moved';

/** One run, begun or gone on with, to its end or its death: mostly in the middle of the writes, else at any instant. */
const runOnce = async (
  { cli, service, chance, journal }: Place,
  { begin, input }: Trial,
  isKilled: boolean,
) => {
  const file = journal();
  const child = cli.start(file === undefined ? begin : `jobs resume ${idIn(file)} --json`);
  const ended = finished(child, file === undefined ? input : '');
  const strike = async (): Promise<void> => {
    const isMidway = chance() < 0.8;
    if (isMidway) await service.afterWrites(1 + Math.floor(chance() * 60));
    await pause(chance() * (isMidway ? 20 : 500));
    child.kill('SIGKILL');
  };
  // It may have ended before so many writes have come.
  if (isKilled) void strike();
  const { exit, stderr } = await ended;
  if (exit !== KILLED) expect([0, 7, 8], stderr).toContain(exit);
  return exit;
};

/** Somebody else rejects five timesheets: nothing of it goes through the faults or into the ledger. */
const disturb = async ({ service, chance }: Place, ids: readonly string[]): Promise<readonly string[]> => {
  const { TTCTL_WORKSPACE: workspace = '', TTCTL_TOKEN: token } = service.env;
  const some = [...ids].sort(() => chance() - 0.5).slice(0, 5);
  for (const id of some) {
    const { status } = await service.hosted.answer({
      ...{ method: 'PUT', path: `/api/v2/timesheets/${id}/reject`, query: [['workspace_id', workspace]] },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workspace_id: Number(workspace), reason: 'Theirs' }),
    });
    expect(status).toBe(200);
  }
  return some;
};

/** Kills the run again and again, and goes on with it, until it has come to its end. */
const carryThrough = async (place: Place, trial: Trial, kills: number) => {
  const moved = trial.isDisturbed ? [...(await disturb(place, trial.meant))] : [];
  let [killed, midway] = [0, 0];
  for (let round = 0; round < kills + 60; round += 1) {
    const exit = await runOnce(place, trial, killed < kills);
    const journal = place.journal();
    if (exit === KILLED) killed += 1;
    if (journal === undefined) continue;
    if (exit === KILLED) {
      const stored = rowsIn(journal);
      if (stored.some(({ step }) => step === 'sending')) midway += 1;
      const untouched = stored.filter(({ step, sent }) => step === 'planned' && sent === undefined);
      const ids = untouched.map(({ target }) => target).filter((id) => !moved.includes(id));
      if (trial.isDisturbed) moved.push(...(await disturb(place, ids)));
      continue;
    }
    const { stdout } = await place.cli.run(`jobs show ${idIn(journal)} --json`);
    const rows: readonly Row[] = JSON.parse(stdout);
    const isOver = (row: Row) => isMoved(row) || ['done', 'failed'].includes(String(row['status']));
    if (rows.every(isOver)) return { rows, moved, killed, midway };
  }
  throw new Error('the run did not come to its end');
};

// At the same time, for most of it is waiting.
it.concurrent.each<[string, string, (place: Place) => Promise<Trial>]>([
  [
    'creations',
    'agency',
    async ({ cli }) => {
      const [category] = await cli.rows('expenses categories');
      // Some are equal: both are meant.
      const meant = Array.from({ length: 300 }, (_, n) => `Item ${n % 290}`);
      const day = (name: string) => `2026-11-${String((name.length % 20) + 1).padStart(2, '0')}`;
      const lines = meant.map((name) => `${name},${day(name)},12.5,${category?.['id']}\n`);
      const input = `name,date,amount,category\n${lines.join('')}`;
      return { begin: 'expenses create --from-file - --yes --json', input, meant };
    },
  ],
  [
    'decisions',
    'month-end',
    async ({ submitted }) => {
      const meant = await submitted();
      return { begin: 'timesheets approve - --yes --json', input: meant.join('\n'), meant };
    },
  ],
  [
    'a plan whose records others change',
    'month-end',
    async ({ cli, submitted }) => {
      const [meant, plan] = [await submitted(), cli.file('plan.ndjson')];
      await cli.read(`timesheets approve - --plan ${plan}`, { stdin: meant.join('\n') });
      return { begin: `plan apply ${plan} --yes --json`, input: '', meant, isDisturbed: true };
    },
  ],
  [
    'an undo',
    'month-end',
    async ({ cli, submitted }) => {
      const meant = await submitted();
      await cli.read('timesheets unsubmit - --yes', { stdin: meant.join('\n') });
      const [first] = await cli.rows('history list --limit 1');
      return { begin: `undo ${first?.['run']} --yes --json`, input: '', meant };
    },
  ],
])(
  `%s, killed at random instants: nothing is applied twice, nothing is lost (TTCTL_SEED=${SEED})`,
  { timeout: KILLS * 20_000 },
  async (name, seed, begin) => {
    const kills = Math.ceil(KILLS / 4);
    let [killed, midway] = [0, 0];
    for (let round = 0; killed < kills; round += 1) {
      const place = await open(seed, chanceOf(SEED + round));
      const trial = await begin(place);
      place.arm();
      const through = await carryThrough(place, trial, Math.min(EACH, kills - killed));
      killed += through.killed;
      midway += through.midway;
      // What the report says against what the ledger says.
      const { meant } = trial;
      const { rows, moved } = through;
      const told = (status: string, key: string) =>
        rows.filter((row) => row['status'] === status && row['target'] === key).length;
      const faults = [...new Set(meant)].flatMap((key) => {
        const times = moved.includes(key) ? 0 : meant.filter((one) => one === key).length;
        const [applied, done, failed] = [
          place.service.applied.get(key) ?? 0,
          told('done', key),
          told('failed', key),
        ];
        const isRight = applied <= times && applied === done && done + failed === times;
        return isRight
          ? []
          : [`${key}: applied ${applied} times of ${times}; ${done} done, ${failed} failed`];
      });
      faults.push(
        ...moved
          .filter((key) => place.service.arrived.has(key))
          .map((key) => `${key} was sent, though it has moved`),
      );
      const skipped = rows.filter(isMoved).map(({ target }) => target);
      if (`${skipped.sort()}` !== `${[...moved].sort()}`) faults.push(`skipped are ${skipped}, not ${moved}`);
      if (rows.length !== meant.length)
        faults.push(`${rows.length} rows of ${meant.length} are in the report`);
      expect(faults, `TTCTL_SEED=${SEED + round}`).toEqual([]);
      await place.close();
    }
    process.stderr.write(`${name}: ${killed} kills, ${midway} with writes on their way\n`);
    // Four of five are meant to be. Of a few any number may be, but hardly none.
    expect(midway).toBeGreaterThan(killed < 50 ? 0 : killed / 2);
  },
);
