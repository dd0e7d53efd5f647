import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

/**
 * Random runs of requests against small models written from docs/service.md, States: after every
 * request the sandbox and the model must agree on the answer and on what the service then shows.
 */

type Verb = string;
/** state x verb -> next state; what is not in it is refused with 400. */
type Machine = Readonly<Record<string, Readonly<Record<Verb, string>>>>;

const RUNS = { numRuns: 40 };
const steps = (verbs: readonly Verb[], targets: number) =>
  fc.array(fc.record({ verb: fc.constantFrom(...verbs), target: fc.nat(targets - 1), said: fc.boolean() }), {
    maxLength: 40,
  });

const runMachine = async (facts: {
  machine: Machine;
  verbs: readonly Verb[];
  /** Ids and states to begin with. */
  begin: (bench: Bench) => [string, string][];
  request: (id: string, verb: Verb) => [method: string, path: string];
  /** Verbs that need a text, and its field. */
  needs?: Readonly<Record<Verb, string>>;
  show: (bench: Bench, id: string) => string;
}): Promise<void> => {
  await fc.assert(
    fc.asyncProperty(steps(facts.verbs, 4), async (run) => {
      const bench = await createBench();
      const model = new Map(facts.begin(bench));
      const ids = [...model.keys()];
      for (const { verb, target, said } of run) {
        const id = ids[target % ids.length] ?? '';
        const state = model.get(id) ?? '';
        const field = facts.needs?.[verb];
        const next = field !== undefined && !said ? undefined : facts.machine[state]?.[verb];
        const [method, path] = facts.request(id, verb);
        const body = field !== undefined && said ? { [field]: 'because' } : {};
        expect(bench.send(method, path, { body }).status).toBe(next === undefined ? 400 : 200);
        model.set(id, next ?? state);
        for (const other of ids) expect(facts.show(bench, other)).toBe(model.get(other));
      }
    }),
    RUNS,
  );
};

interface Viewer {
  readonly archived: boolean;
  readonly projects: readonly number[];
}

const sorted = (projects: Iterable<number>): number[] => [...new Set(projects)].sort((a, b) => a - b);

/** What each verb makes of a viewer; undefined: it is refused. */
const VIEWER: Readonly<Record<Verb, (viewer: Viewer, project: number) => Viewer | undefined>> = {
  assign: (viewer, project) =>
    viewer.archived ? undefined : { ...viewer, projects: sorted([...viewer.projects, project]) },
  unassign: (viewer, project) =>
    viewer.projects.includes(project)
      ? { ...viewer, projects: viewer.projects.filter((id) => id !== project) }
      : undefined,
  archive: (viewer) => ({ ...viewer, archived: true }),
  restore: (viewer) => (viewer.archived ? { ...viewer, archived: false } : undefined),
};

const VIEWER_REQUEST: Readonly<Record<Verb, [method: string, tail: string]>> = {
  assign: ['POST', '/assign-project'],
  unassign: ['DELETE', '/unassign-project'],
  archive: ['DELETE', ''],
  restore: ['POST', '/restore'],
};

const viewerNow = (bench: Bench, path: string): Viewer => {
  const { data } = bench.send('GET', path).body;
  return {
    archived: data.status === 'left',
    projects: sorted(data.projects.map((row: { project_id: number }) => row.project_id)),
  };
};

interface Passed {
  readonly at: number;
  readonly write: boolean;
}

/** The `Retry-After` of a request: 9 in 4 seconds, 3 writes in one. */
const refusalOf = (passed: readonly Passed[], now: number, write: boolean): string | undefined => {
  if (passed.filter(({ at }) => now - at < 4000).length >= 9) return '4';
  const burst = passed.filter((entry) => entry.write && now - entry.at < 1000);
  return write && burst.length >= 3 ? '1' : undefined;
};

describe('state machines against their models', () => {
  it('timesheets', () =>
    runMachine({
      machine: {
        open: { submit: 'submitted' },
        submitted: { unsubmit: 'open', approve: 'approved', reject: 'rejected' },
      },
      verbs: ['submit', 'unsubmit', 'approve', 'reject'],
      begin: (bench) =>
        (['open', 'submitted', 'submitted', 'approved'] as const).map((status, n) => {
          const row = Object.values(bench.space.timesheets).filter((sheet) => sheet.status === status)[n];
          return [row?.id ?? '', status];
        }),
      request: (id, verb) => ['PUT', `/timesheets/${id}/${verb}`],
      needs: { reject: 'reason' },
      show: (bench, id) => bench.send('GET', '/timesheets', { query: { id } }).body.data[0].status,
    }));

  it('members', () =>
    runMachine({
      machine: {
        here: { archive: 'archived', update: 'here' },
        archived: { archive: 'archived', restore: 'here' },
      },
      verbs: ['archive', 'restore', 'update'],
      begin: (bench) => [
        ...['mei', 'elif', 'samir'].map((name): [string, string] => [String(bench.userId(name)), 'here']),
        [String(bench.userId('daniel')), 'archived'],
      ],
      request: (id, verb) => {
        if (verb === 'restore') return ['POST', `/members/${id}/restore`];
        return [verb === 'archive' ? 'DELETE' : 'PUT', `/members/${id}`];
      },
      show: (bench, id) =>
        bench.send('GET', `/members/${id}`).body.data.deleted_at === null ? 'here' : 'archived',
    }));

  it('leave requests', () =>
    runMachine({
      machine: { pending: { approve: 'approved', reject: 'rejected' } },
      verbs: ['approve', 'reject'],
      begin: (bench) =>
        Object.values(bench.space.leaves)
          .slice(0, 4)
          .map((row) => [row.id, row.status]),
      request: (id, verb) => ['PUT', `/leaves/${id}/${verb}`],
      needs: { reject: 'reason' },
      show: (bench, id) => bench.send('GET', '/leaves', { query: { id } }).body.data[0].status,
    }));

  it('time requests', () =>
    runMachine({
      machine: { pending: { approve: 'approved', reject: 'rejected' } },
      verbs: ['approve', 'reject'],
      begin: (bench) =>
        Object.values(bench.space.time_requests)
          .slice(0, 4)
          .map((row) => [row.id, row.status]),
      request: (id, verb) => ['POST', `/time-requests/${id}/${verb}`],
      needs: { reject: 'comment' },
      show: (bench, id) => bench.send('GET', `/time-requests/${id}`).body.data.status,
    }));

  it('project viewers and what they may see', async () => {
    await fc.assert(
      fc.asyncProperty(steps(['assign', 'unassign', 'archive', 'restore'], 4), async (run) => {
        const bench = await createBench();
        const path = `/project-viewers/${bench.userId('priya')}`;
        const projects = Object.keys(bench.space.projects).slice(0, 4).map(Number);
        let model = viewerNow(bench, path);
        for (const { verb, target } of run) {
          const project = projects[target] ?? 0;
          const next = VIEWER[verb]?.(model, project);
          const [method, tail] = VIEWER_REQUEST[verb] ?? ['', ''];
          const answer = bench.send(method, `${path}${tail}`, { body: { project_id: project } });
          expect(answer.status).toBe(next === undefined ? 400 : 200);
          model = next ?? model;
          expect(viewerNow(bench, path)).toEqual(model);
        }
      }),
      RUNS,
    );
  });

  it('limits: never more than the allowance in any window', async () => {
    const requests = fc.array(fc.record({ wait: fc.nat(900), write: fc.boolean() }), { maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(requests, async (run) => {
        const limits = { requests: 9, perSeconds: 4, writes: 3, writesPerSeconds: 1 };
        const bench = await createBench({ seed: 'empty', limits });
        const passed: Passed[] = [];
        for (const { wait, write } of run) {
          bench.now += wait;
          const wanted = refusalOf(passed, bench.now, write);
          const answer = bench.send(write ? 'POST' : 'GET', write ? '/members' : '/workspaces');
          expect(answer.headers['retry-after']).toBe(wanted);
          if (wanted === undefined) passed.push({ at: bench.now, write });
        }
      }),
      RUNS,
    );
  });
});
