import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

/**
 * Random runs of requests against small models written from docs/service.md, States: after every
 * request the sandbox and the model must agree on the answer and on what the service then shows.
 */

interface Model {
  /** state → verb → next state; what is not in it is refused with 400. */
  readonly machine: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A verb, and the line of its request; what stands behind the path is the body. */
  readonly verbs: Readonly<Record<string, string>>;
  /** Ids and states to begin with. */
  readonly begin: (bench: Bench) => readonly (readonly [id: string, state: string])[];
  readonly show: (bench: Bench, id: string) => string;
}

const RUNS = { numRuns: 40 };
const steps = (verbs: readonly string[], targets: number) =>
  fc.array(fc.record({ verb: fc.constantFrom(...verbs), target: fc.nat(targets - 1) }), { maxLength: 40 });
const firstFour = (records: object) =>
  Object.values(records)
    .slice(0, 4)
    .map((row): [string, string] => [row.id, row.status]);

const MODELS: Readonly<Record<string, Model>> = {
  timesheets: {
    machine: {
      open: { submit: 'submitted' },
      submitted: { unsubmit: 'open', approve: 'approved', reject: 'rejected' },
    },
    verbs: {
      submit: 'PUT /timesheets/ID/submit',
      unsubmit: 'PUT /timesheets/ID/unsubmit',
      approve: 'PUT /timesheets/ID/approve',
      reject: 'PUT /timesheets/ID/reject {"reason":"Friday"}',
      'reject without a reason': 'PUT /timesheets/ID/reject',
    },
    begin: ({ space }) =>
      (['open', 'submitted', 'rejected', 'approved'] as const).map((status) => [
        Object.values(space.timesheets).find((sheet) => sheet.status === status)?.id ?? '',
        status,
      ]),
    show: (bench, id) => bench.ask('GET /timesheets', { id }).data[0].status,
  },
  members: {
    machine: {
      here: { archive: 'archived', update: 'here' },
      archived: { archive: 'archived', restore: 'here' },
    },
    verbs: {
      archive: 'DELETE /members/ID',
      restore: 'POST /members/ID/restore',
      update: 'PUT /members/ID',
    },
    begin: (bench) =>
      ['mei', 'elif', 'samir', 'daniel'].map((name) => [
        String(bench.userId(name)),
        name === 'daniel' ? 'archived' : 'here',
      ]),
    show: (bench, id) => {
      const { deleted_at, status } = bench.ask(`GET /members/${id}`).data;
      expect(status === 'left').toBe(deleted_at !== null);
      return deleted_at === null ? 'here' : 'archived';
    },
  },
  'leave requests': {
    machine: { pending: { approve: 'approved', reject: 'rejected' } },
    verbs: {
      approve: 'PUT /leaves/ID/approve',
      reject: 'PUT /leaves/ID/reject {"reason":"Friday"}',
      'reject without a reason': 'PUT /leaves/ID/reject',
    },
    begin: ({ space }) => firstFour(space.leaves),
    show: (bench, id) => bench.ask('GET /leaves', { id }).data[0].status,
  },
  'time requests': {
    machine: { pending: { approve: 'approved', reject: 'rejected' } },
    verbs: {
      approve: 'POST /time-requests/ID/approve',
      reject: 'POST /time-requests/ID/reject {"comment":"Twice"}',
      'reject without a comment': 'POST /time-requests/ID/reject',
    },
    begin: ({ space }) => firstFour(space.time_requests),
    show: (bench, id) => bench.ask(`GET /time-requests/${id}`).data.status,
  },
};

const run = ({ machine, verbs, begin, show }: Model): Promise<void> =>
  fc.assert(
    fc.asyncProperty(steps(Object.keys(verbs), 4), async (taken) => {
      const bench = await createBench();
      const model = new Map(begin(bench));
      const ids = [...model.keys()];
      for (const { verb, target } of taken) {
        const id = ids[target] ?? '';
        const next = machine[model.get(id) ?? '']?.[verb];
        const [method, path, body = '{}'] = (verbs[verb] ?? '').replace('ID', id).split(' ');
        expect(bench.status(`${method} ${path}`, JSON.parse(body))).toBe(next === undefined ? 400 : 200);
        model.set(id, next ?? model.get(id) ?? '');
        for (const other of ids) expect(show(bench, other)).toBe(model.get(other));
      }
    }),
    RUNS,
  );

interface Viewer {
  readonly archived: boolean;
  readonly projects: readonly number[];
}

/** What each request makes of a viewer; undefined: it is refused. */
const VIEWER: Readonly<Record<string, (viewer: Viewer, project: number) => Viewer | undefined>> = {
  'POST /assign-project': ({ archived, projects }, project) =>
    archived ? undefined : { archived, projects: [...new Set([...projects, project])].sort((a, b) => a - b) },
  'DELETE /unassign-project': ({ archived, projects }, project) =>
    projects.includes(project) ? { archived, projects: projects.filter((id) => id !== project) } : undefined,
  DELETE: (viewer) => ({ ...viewer, archived: true }),
  'POST /restore': (viewer) => (viewer.archived ? { ...viewer, archived: false } : undefined),
};

const viewerNow = (bench: Bench, path: string): Viewer => {
  const { status, projects } = bench.ask(`GET ${path}`).data;
  const ids: number[] = projects.map((row: { project_id: number }) => row.project_id);
  return { archived: status === 'left', projects: ids.sort((a, b) => a - b) };
};

interface Passed {
  readonly at: number;
  readonly write: boolean;
}

const wait = fc.constantFrom(0, 0, 0, 0, 30, 900);
const requests = fc.array(fc.record({ wait, write: fc.boolean() }), { minLength: 100, maxLength: 300 });

/** The `Retry-After` of a request: 150 in 60 seconds, 20 writes in one. */
const refusalOf = (passed: readonly Passed[], now: number, write: boolean): string | undefined => {
  if (passed.filter(({ at }) => now - at < 60_000).length >= 150) return '60';
  const burst = passed.filter((sent) => sent.write && now - sent.at < 1000);
  return write && burst.length >= 20 ? '1' : undefined;
};

describe('state machines against their models', () => {
  it.each(Object.entries(MODELS))('%s', (_name, model) => run(model));

  it('project viewers and what they may see', () =>
    fc.assert(
      fc.asyncProperty(steps(Object.keys(VIEWER), 4), async (taken) => {
        const bench = await createBench();
        const path = `/project-viewers/${bench.userId('priya')}`;
        const projects = Object.keys(bench.space.projects).slice(0, 4).map(Number);
        let model = viewerNow(bench, path);
        for (const { verb, target } of taken) {
          const project_id = projects[target] ?? 0;
          const next = VIEWER[verb]?.(model, project_id);
          const [method, tail = ''] = verb.split(' ');
          expect(bench.status(`${method} ${path}${tail}`, { project_id })).toBe(
            next === undefined ? 400 : 200,
          );
          model = next ?? model;
          expect(viewerNow(bench, path)).toEqual(model);
        }
      }),
      RUNS,
    ));

  it('limits: never more than the allowance in any window', () =>
    fc.assert(
      fc.asyncProperty(requests, async (taken) => {
        const bench = await createBench({ seed: 'empty', limits: true });
        const passed: Passed[] = [];
        for (const { wait, write } of taken) {
          bench.now += wait;
          const wanted = refusalOf(passed, bench.now, write);
          const answer = bench.ask(write ? 'POST /members' : 'GET /workspaces');
          expect(answer.headers['retry-after']).toBe(wanted);
          if (wanted === undefined) passed.push({ at: bench.now, write });
        }
      }),
      RUNS,
    ));
});
