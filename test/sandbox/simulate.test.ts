import { describe, expect, it } from 'vitest';
import type { SandboxEvent } from '../../src/sandbox/app.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { simulate } from '../../src/sandbox/simulation/simulate.ts';
import type { Workspace, World } from '../../src/sandbox/world.ts';
import { NOW } from './bench.ts';

const DAY = 86_400_000;
const WEEK = 7 * DAY;

const run = async (name: string, ms: number, from = NOW) => {
  const before = await createSeed(name, { now: from });
  const world = structuredClone(before);
  const events: SandboxEvent[] = [];
  const told = simulate(world, { from, to: from + ms, onEvent: (event) => events.push(event) });
  return { before, world, events, told };
};

const first = (world: World): Workspace => {
  const [space] = Object.values(world.spaces);
  if (space === undefined) throw new Error('no workspace');
  return space;
};

const added = <T>(after: Record<string, T>, before: Record<string, T>): T[] =>
  Object.entries(after).flatMap(([id, row]) => (Object.hasOwn(before, id) ? [] : [row]));

const checkRequests = (space: Workspace, then: Workspace): void => {
  for (const row of added(space.time_requests, then.time_requests)) {
    const contract = space.contracts[row.contract_id];
    expect(contract).toMatchObject({ user_id: row.user_id, status: 'active', deleted_at: null });
    expect(row.start < row.end && row.end <= row.created_at).toBe(true);
  }
  for (const expense of added(space.expenses, then.expenses)) {
    expect(space.categories[expense.category_id ?? '']).toBeDefined();
    expect(expense.amount).toBeGreaterThan(0);
  }
};

const checkLeaves = (space: Workspace, then: Workspace): void => {
  for (const leave of added(space.leaves, then.leaves)) {
    expect(leave.start_date > leave.created_on.slice(0, 10)).toBe(true);
    expect(leave.total.days).toBe((Date.parse(leave.end_date) - Date.parse(leave.start_date)) / DAY + 1);
    if (space.leave_policies[leave.policy_id]?.reason_required === true) expect(leave.note).not.toBeNull();
    const own = Object.values(space.leaves).filter(
      (other) => other.user_id === leave.user_id && other.status !== 'rejected' && other.id !== leave.id,
    );
    for (const other of own) {
      expect(other.end_date < leave.start_date || leave.end_date < other.start_date).toBe(true);
    }
  }
};

describe('a simulation', () => {
  it('does the same with the same world, and something else with another number', async () => {
    const [one, two] = [await run('demo', 2 * WEEK), await run('demo', 2 * WEEK)];
    expect(two.world).toEqual(one.world);
    expect(two.events).toEqual(one.events);
    const other = await createSeed('demo', { now: NOW, number: 2 });
    expect(simulate(other, { from: NOW, to: NOW + 2 * WEEK })).not.toEqual(one.told);
  });

  it('tells how many of what, and that is what is there', async () => {
    const { before, world, events, told } = await run('agency', 3 * WEEK);
    const [now, then] = [first(world), first(before)];
    const count = (event: string) => events.filter((one) => one.event === event).length;
    expect(told.people).toBe(60);
    expect(added(now.leaves, then.leaves)).toHaveLength(told.leaves_asked);
    expect(added(now.time_requests, then.time_requests)).toHaveLength(told.time_requests_made);
    expect(added(now.expenses, then.expenses)).toHaveLength(told.expenses_booked);
    expect(count('tracker.started')).toBe(told.trackers_started);
    expect(count('tracker.stopped')).toBe(told.trackers_stopped);
    expect(count('timesheet.submitted')).toBe(told.timesheets_submitted);
    expect(events).toHaveLength(told.events);
    const minutes = (space: Workspace) =>
      Object.values(space.timesheets).reduce((sum, sheet) => sum + sheet.total_minutes, 0);
    expect((minutes(now) - minutes(then)) / 60).toBeCloseTo(told.tracked_hours, 0);
    for (const value of Object.values(told)) if (typeof value === 'number') expect(value).toBeGreaterThan(0);
  });

  it('decides nothing: what waited still waits, and what is new waits too', async () => {
    const { before, world } = await run('demo', 4 * WEEK);
    const [now, then] = [first(world), first(before)];
    for (const [id, sheet] of Object.entries(then.timesheets)) {
      const status = now.timesheets[id]?.status;
      if (sheet.status === 'open') expect(['open', 'submitted']).toContain(status);
      else expect(now.timesheets[id]).toEqual(sheet);
    }
    for (const sheet of added(now.timesheets, then.timesheets))
      expect(['open', 'submitted']).toContain(sheet.status);
    for (const kind of ['leaves', 'time_requests'] as const) {
      expect(now[kind]).toMatchObject(then[kind]);
      for (const row of added<{ status: string }>(now[kind], then[kind])) expect(row.status).toBe('pending');
    }
  });

  it.each(['demo', 'agency', 'messy', 'month-end'])('keeps the rules of the API (%s)', async (name) => {
    const { before, world, events } = await run(name, 5 * WEEK);
    const times = events.map(({ at_ms }) => at_ms);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.every((at) => NOW <= at && at < NOW + 5 * WEEK)).toBe(true);
    for (const [id, space] of Object.entries(world.spaces)) {
      const then = before.spaces[id] as Workspace;
      for (const sheet of Object.values(space.timesheets)) {
        expect(sheet.submitted_on === null).toBe(sheet.status === 'open');
        const limit = space.members[sheet.user_id]?.weekly_hours_limit ?? 0;
        const had = then.timesheets[sheet.id]?.total_minutes ?? 0;
        expect(sheet.total_minutes).toBeLessThanOrEqual(Math.max(limit * 60, had + 60));
      }
      checkRequests(space, then);
      checkLeaves(space, then);
    }
  });

  it('lets a tracker start once and stop once, for whoever may work', async () => {
    const { before, world, events } = await run('demo', 2 * WEEK);
    const running = new Set(Object.keys(before.trackers));
    for (const { event, data } of events) {
      if (!event.startsWith('tracker.')) continue;
      const user = String((data as { user_id: number }).user_id);
      if (running.has(user) !== (event === 'tracker.stopped')) throw new Error(`${event} of ${user}`);
      if (event === 'tracker.stopped') running.delete(user);
      else running.add(user);
    }
    expect([...running].sort()).toEqual(Object.keys(world.trackers).sort());
    const workers = new Set(
      events
        .filter(({ event }) => event === 'tracker.started')
        .map(({ data }) => (data as { user_id: number }).user_id),
    );
    for (const user of workers) {
      const places = Object.values(world.spaces).flatMap((space) => space.members[user] ?? []);
      expect(places.some(({ status, deleted_at }) => status === 'active' && deleted_at === null)).toBe(true);
    }
  });

  it('works on no weekend and on no day of granted leave', async () => {
    const world = await createSeed('demo', { now: NOW });
    const space = first(world);
    const [leave] = Object.values(space.leaves).filter(({ status }) => status === 'pending');
    if (leave === undefined) throw new Error('no leave');
    leave.status = 'approved';
    const started: string[] = [];
    simulate(world, {
      from: NOW,
      to: NOW + 6 * WEEK,
      onEvent: ({ event, at_ms, data }) => {
        if (new Date(at_ms).getUTCDay() % 6 === 0) throw new Error(`${event} on a weekend`);
        const { user_id } = data as { user_id: number };
        if (event === 'tracker.started' && user_id === leave.user_id)
          started.push(new Date(at_ms).toISOString().slice(0, 10));
      },
    });
    expect(started.length).toBeGreaterThan(10);
    expect(started.filter((day) => leave.start_date <= day && day <= leave.end_date)).toEqual([]);
  });

  it('goes on where the last one broke off, in the middle of a day', async () => {
    const world = await createSeed('demo', { now: NOW });
    let at = NOW;
    for (const hours of [1, 5, 20, 3, 70, 200]) {
      simulate(world, { from: at, to: at + hours * 3_600_000 });
      at += hours * 3_600_000;
    }
    for (const sheet of Object.values(first(world).timesheets)) {
      expect(sheet.total_minutes).toBeLessThanOrEqual(45 * 60);
    }
  });

  /** The demo, changed, three weeks later; who started a tracker, by user id. */
  const changed = async (change: (space: Workspace) => void) => {
    const world = await createSeed('demo', { now: NOW });
    change(first(world));
    const started: { readonly user: number; readonly at: number }[] = [];
    simulate(world, {
      from: NOW,
      to: NOW + 3 * WEEK,
      onEvent: ({ event, at_ms, data }) => {
        const user = (data as { user_id: number }).user_id;
        if (event === 'tracker.started') started.push({ user, at: at_ms });
      },
    });
    return { space: first(world), started };
  };
  const thisWeek = (space: Workspace) =>
    Object.values(space.timesheets).filter(({ date_from }) => date_from === '2026-03-16');

  it('tracks nothing for a week whose sheet is closed, and submits none that is not open or is empty', async () => {
    const { space, started } = await changed((before) => {
      for (const [index, sheet] of thisWeek(before).entries()) {
        if (index % 2 === 0) sheet.status = 'rejected';
        sheet.total_minutes = 0;
      }
    });
    const closed = thisWeek(space).filter(({ status }) => status === 'rejected');
    expect(closed.length).toBeGreaterThan(2);
    const users = closed.map(({ user_id }) => user_id);
    const sunday = Date.parse('2026-03-22T23:59:59Z');
    const inIt = started.filter(({ user, at }) => users.includes(user) && at < sunday);
    // One of them works in the other workspace too.
    expect(inIt.filter(({ user }) => user !== space.owner_id)).toEqual([]);
    for (const sheet of Object.values(space.timesheets)) {
      if (sheet.status === 'submitted') expect(sheet.total_minutes).toBeGreaterThan(0);
    }
  });

  it('stops where the hours of a week are used up', async () => {
    const { space } = await changed((before) => {
      for (const member of Object.values(before.members)) member.weekly_hours_limit = 11;
    });
    const full = Object.values(space.timesheets).filter(({ date_from }) => date_from === '2026-03-23');
    expect(full.filter(({ total_minutes }) => total_minutes === 660).length).toBeGreaterThan(3);
    expect(full.filter(({ total_minutes }) => total_minutes > 660)).toEqual([]);
  });

  it.each(['inactive', 'left', 'unknown'] as const)('lets nobody work who is %s', async (status) => {
    const { space, started } = await changed((before) => {
      for (const member of Object.values(before.members))
        if (member.user_id !== before.owner_id) member.status = status;
    });
    expect(new Set(started.map(({ user }) => user))).toEqual(new Set([space.owner_id]));
  });

  it('asks for no time twice, also where the same weeks pass again', async () => {
    const world = await createSeed('agency', { now: NOW });
    for (const _ of [1, 2, 3]) simulate(world, { from: NOW, to: NOW + 4 * WEEK });
    const requests = Object.values(first(world).time_requests);
    const overlapping = requests.filter((one) =>
      requests.some(
        (other) =>
          one !== other && one.user_id === other.user_id && one.start < other.end && other.start < one.end,
      ),
    );
    expect(requests.length).toBeGreaterThan(80);
    expect(overlapping).toEqual([]);
  });

  it('takes a time of a year at most', async () => {
    const world = await createSeed('empty', { now: NOW });
    expect(simulate(world, { from: NOW, to: NOW + WEEK })).toMatchObject({ people: 0, events: 0 });
    for (const ms of [0, -1, 367 * DAY, Number.NaN]) {
      expect(() => simulate(world, { from: NOW, to: NOW + ms })).toThrow('at most a year');
    }
  });
});
