import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

/**
 * Random runs of requests against small models written from docs/service.md, States: after every request the sandbox and
 * the model must agree on the answer and on what the service then shows.
 */

const RUNS = { numRuns: 40 };
const steps = (verbs: readonly string[]) =>
  fc.array(fc.record({ verb: fc.constantFrom(...verbs), target: fc.nat(3) }), { maxLength: 40 });

/** Ids of the first four, and their states. */
const firstFour = (kind: 'leaves' | 'time_requests') => (bench: Bench) =>
  Object.values(bench.space[kind])
    .slice(0, 4)
    .map(({ id, status }): [string, string] => [id, status]);

/** By state and verb the next state: what is not in it is refused with 400. */
const DECIDED = { pending: { approve: 'approved', reject: 'rejected' } };

describe('states are those of the model', () => {
  it.each([
    {
      kind: 'timesheets',
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
      begin: ({ space }: Bench) =>
        ['open', 'submitted', 'rejected', 'approved'].map((status): [string, string] => [
          Object.values(space.timesheets).find((sheet) => sheet.status === status)?.id ?? '',
          status,
        ]),
      show: (bench: Bench, id: string) => bench.ask('GET /timesheets', { id }).data[0].status,
    },
    {
      kind: 'members',
      machine: {
        here: { archive: 'archived', update: 'here' },
        archived: { archive: 'archived', restore: 'here' },
      },
      verbs: {
        archive: 'DELETE /members/ID',
        restore: 'POST /members/ID/restore',
        update: 'PUT /members/ID',
      },
      begin: (bench: Bench) =>
        ['mei', 'elif', 'samir', 'daniel'].map((name): [string, string] => [
          String(bench.userId(name)),
          name === 'daniel' ? 'archived' : 'here',
        ]),
      show: (bench: Bench, id: string) => {
        const { deleted_at, status } = bench.ask(`GET /members/${id}`).data;
        expect(status === 'left').toBe(deleted_at !== null);
        return deleted_at === null ? 'here' : 'archived';
      },
    },
    {
      kind: 'leave requests',
      machine: DECIDED,
      verbs: {
        approve: 'PUT /leaves/ID/approve',
        reject: 'PUT /leaves/ID/reject {"reason":"Friday"}',
        'reject without a reason': 'PUT /leaves/ID/reject',
      },
      begin: firstFour('leaves'),
      show: (bench: Bench, id: string) => bench.ask('GET /leaves', { id }).data[0].status,
    },
    {
      kind: 'time requests',
      machine: DECIDED,
      verbs: {
        approve: 'POST /time-requests/ID/approve',
        reject: 'POST /time-requests/ID/reject {"comment":"Twice"}',
        'reject without a comment': 'POST /time-requests/ID/reject',
      },
      begin: firstFour('time_requests'),
      show: (bench: Bench, id: string) => bench.ask(`GET /time-requests/${id}`).data.status,
    },
  ])('of $kind', ({ machine, verbs, begin, show }) => {
    const lines = new Map(Object.entries(verbs));
    const nextStates: Record<string, Record<string, string> | undefined> = machine;
    return fc.assert(
      fc.asyncProperty(steps([...lines.keys()]), async (taken) => {
        const bench = await createBench();
        const model = new Map(begin(bench));
        const ids = [...model.keys()];
        for (const { verb, target } of taken) {
          const id = ids[target] ?? '';
          const next = nextStates[model.get(id) ?? '']?.[verb];
          const [method, path, body = '{}'] = (lines.get(verb) ?? '').replace('ID', id).split(' ');
          expect(bench.status(`${method} ${path}`, JSON.parse(body))).toBe(next === undefined ? 400 : 200);
          model.set(id, next ?? model.get(id) ?? '');
          for (const other of ids) expect(show(bench, other)).toBe(model.get(other));
        }
      }),
      RUNS,
    );
  });

  it('of project viewers, and which projects they may see', () => {
    /** What each request makes of a viewer; undefined: it is refused. */
    const take = (verb: string, isArchived: boolean, seen: number[], project: number) => {
      if (verb === 'DELETE') return { isArchived: true, seen };
      if (verb === 'POST /restore') return isArchived ? { isArchived: false, seen } : undefined;
      const others = seen.filter((id) => id !== project);
      if (verb === 'DELETE /unassign-project')
        return seen.includes(project) ? { isArchived, seen: others } : undefined;
      return isArchived ? undefined : { isArchived, seen: [...others, project].sort((a, b) => a - b) };
    };
    const show = (bench: Bench, path: string) => {
      const { status, projects } = bench.ask(`GET ${path}`).data;
      const seen: number[] = projects.map((row: { project_id: number }) => row.project_id);
      return { isArchived: status === 'left', seen: seen.sort((a, b) => a - b) };
    };
    const verbs = ['POST /assign-project', 'DELETE /unassign-project', 'DELETE', 'POST /restore'];
    return fc.assert(
      fc.asyncProperty(steps(verbs), async (taken) => {
        const bench = await createBench();
        const path = `/project-viewers/${bench.userId('priya')}`;
        const projects = Object.keys(bench.space.projects).slice(0, 4).map(Number);
        let model = show(bench, path);
        for (const { verb, target } of taken) {
          const project_id = projects[target] ?? 0;
          const next = take(verb, model.isArchived, model.seen, project_id);
          const [method, tail = ''] = verb.split(' ');
          const status = bench.status(`${method} ${path}${tail}`, { project_id });
          expect(status).toBe(next === undefined ? 400 : 200);
          model = next ?? model;
          expect(show(bench, path)).toEqual(model);
        }
      }),
      RUNS,
    );
  });
});

it('limits never let more pass than the allowance in any window: 150 in 60 s, 20 writes in one', () => {
  const wait = fc.constantFrom(0, 0, 0, 0, 30, 900);
  const requests = fc.array(fc.record({ wait, write: fc.boolean() }), { minLength: 100, maxLength: 300 });
  return fc.assert(
    fc.asyncProperty(requests, async (taken) => {
      const bench = await createBench({ seed: 'empty', limits: true });
      const passed: { at: number; write: boolean }[] = [];
      for (const { wait, write } of taken) {
        bench.now += wait;
        const within = (ms: number) => passed.filter(({ at }) => bench.now - at < ms);
        const isBurst = write && within(1000).filter((sent) => sent.write).length >= 20;
        const after = within(60_000).length >= 150 ? '60' : isBurst ? '1' : undefined;
        const answer = bench.ask(write ? 'POST /members' : 'GET /workspaces');
        expect(answer.headers['retry-after']).toBe(after);
        if (after === undefined) passed.push({ at: bench.now, write });
      }
    }),
    RUNS,
  );
});
