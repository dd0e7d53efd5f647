import { describe, expect, it } from 'vitest';
import type { Api, ApiCall } from '../../src/api/client.ts';
import type { Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations.ts';
import { createExitNotices } from '../../src/changes/exit-notices.ts';
import { sendOne } from '../../src/changes/send.ts';
import { writeOne } from '../../src/changes/write.ts';
import type { Context } from '../../src/context.ts';
import { ApiError, Cancelled, EXIT, NetworkError } from '../../src/outcome.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';
import { done } from './desk.ts';

/** One write: sent once; after a lost answer the service's records are read, never sent again. */

const { timesheets, members, webhooks } = operations;

const cut = () => new NetworkError('cut', true, { code: 'connection_reset' });
const timeout = () => new NetworkError('late', true, { code: 'timeout' });
const notSent = () => new NetworkError('refused', false, { code: 'connection_refused' });
const status = (code: number) => new ApiError('broken', code, { code: 'service_error', exit: EXIT.tryLater });
const refused = () => new ApiError('no', 400, { code: 'refused', exit: EXIT.refused });
const html = () => new ApiError('html', 200, { code: 'not_the_api', exit: EXIT.tryLater });

const callOf = (operation: Operation, values: ApiCall['values'], ends: () => Error | undefined) => {
  const counted = { sent: 0 };
  const call: ApiCall = {
    operation,
    values,
    commandLine,
    redact: (value) => value,
    check: () => {},
    requireWorkspace: async () => {},
    send: async () => {
      counted.sent += 1;
      const error = ends();
      if (error !== undefined) throw error;
      return done;
    },
    pages: () => {
      throw new Error('a write has no pages');
    },
  };
  return { call, counted };
};

/** A service whose only list shows these rows; `fails`: it cannot be read. */
const records = (rows: readonly object[], fails = false) => {
  const read = { count: 0 };
  const list = () => ({
    async *pages() {
      read.count += 1;
      if (fails) throw cut();
      yield { rows, total: rows.length };
    },
  });
  return { api: { timesheets: { list }, members: { list } } as unknown as Api, read };
};

const approve = (ends: () => Error | undefined) => callOf(timesheets.approve, { timesheetId: 't1' }, ends);

describe('a write whose answer is lost', () => {
  it.each([
    ['cut', cut],
    ['late', timeout],
    ['500', () => status(500)],
    ['HTML with 200', html],
  ])('(%s) is what the records show', async (_name, ends) => {
    for (const [state, expected] of [
      ['approved', 'done'],
      ['submitted', 'failed'],
    ]) {
      const { call, counted } = approve(ends);
      const { api, read } = records([{ id: 't1', status: state }]);
      const { result, failure } = await sendOne(api, { call: call, target: 't1' });
      expect(result.status).toBe(expected);
      expect(failure === undefined).toBe(expected === 'done');
      expect([counted.sent, read.count]).toEqual([1, 1]);
    }
  });

  it('is unknown where the record is not found, cannot be read, or nothing could show it', async () => {
    const cases: [ReturnType<typeof callOf>, Api][] = [
      [approve(cut), records([{ id: 't2', status: 'approved' }]).api],
      [approve(cut), records([], true).api],
      [callOf({ ...webhooks.update, id: 'nothing.known' }, { webhookId: 'w' }, cut), records([]).api],
    ];
    for (const [{ call, counted }, api] of cases) {
      const { result, failure } = await sendOne(api, { call: call, target: 't1' });
      expect(result).toMatchObject({ status: 'unknown', message: 'cut', error: { exit: 7 } });
      expect(failure).toMatchObject({ exit: 7 });
      expect(counted.sent).toBe(1);
    }
  });

  it('does not pass for unreadable where the look-up has a fault of its own', async () => {
    const fault = new TypeError('ours');
    const list = () => ({
      pages: () => {
        throw fault;
      },
    });
    const api = { timesheets: { list }, members: { list } } as unknown as Api;
    await expect(sendOne(api, { call: approve(cut).call, target: 't1' })).rejects.toBe(fault);
  });

  it('says of `done` that it is the records that say so', async () => {
    const { call } = approve(cut);
    const { result } = await sendOne(records([{ id: 't1', status: 'approved' }]).api, {
      call: call,
      target: 't1',
    });
    expect(result.message).toMatch(/cut.*records show that it was done/);
  });

  it('may still be under way when a new record is not there yet: late is unknown, cut is not', async () => {
    const invite = (ends: () => Error) => callOf(members.invite, { email: 'a@b' }, ends).call;
    expect((await sendOne(records([]).api, { call: invite(timeout), target: 'a@b' })).result.status).toBe(
      'unknown',
    );
    expect((await sendOne(records([]).api, { call: invite(cut), target: 'a@b' })).result.status).toBe(
      'failed',
    );
    const rows: object[] = [];
    const appears = invite(() => {
      rows.push({ id: 1, email: 'A@B' });
      return timeout();
    });
    expect((await sendOne(records(rows).api, { call: appears, target: 'a@b' })).result.status).toBe('done');
    // Who was there before was not made by this: whether it was invited again is not shown.
    expect((await sendOne(records(rows).api, { call: invite(cut), target: 'a@b' })).result.status).toBe(
      'unknown',
    );
  });
});

describe('a write that the service refused, or that never left', () => {
  it.each([
    ['refused', refused],
    ['not sent', notSent],
  ])('(%s) is failed, and nothing is looked up', async (_name, ends) => {
    const { call } = approve(ends);
    const { api, read } = records([{ id: 't1', status: 'approved' }]);
    expect((await sendOne(api, { call: call, target: 't1' })).result.status).toBe('failed');
    expect(read.count).toBe(0);
  });

  it('(interrupted) is skipped', async () => {
    const { call } = approve(() => new Cancelled('interrupted', EXIT.interrupted));
    const { result, failure } = await sendOne(records([]).api, { call: call, target: 't1' });
    expect(result.status).toBe('skipped');
    expect(failure).toMatchObject({ exit: 130 });
  });

  it('(a fault of ours) is no result', async () => {
    const { call } = approve(() => new TypeError('x'));
    await expect(sendOne(records([]).api, { call: call, target: 't1' })).rejects.toBeInstanceOf(TypeError);
  });
});

describe('a single write', () => {
  const attempt = async (ends: () => Error | undefined, rows: readonly object[] = []) => {
    const printed: unknown[] = [];
    const { call, counted } = approve(ends);
    const context = {
      api: records(rows).api,
      settings: { dryRun: { value: false }, debug: { value: false } },
      clock: { now: () => 0 },
      jobs: async () => ({ wanted: false }),
      exitNotices: createExitNotices(),
      events: { reconciled: () => {}, result: () => {} },
      output: {
        checkNames: async () => {},
        result: async (it: unknown) => void printed.push(it),
        record: async () => {},
        note: () => {},
      },
    } as unknown as Context;
    const work = {
      verb: ['stop', 'stopped'],
      noun: ['tracker', 'trackers'],
      values: {},
      call: () => call,
      target: () => 't1',
    } as const;
    const error = await writeOne(context, {}, work).then(
      () => undefined,
      (e: unknown) => e,
    );
    return { printed, error, counted };
  };

  it('prints its result', async () => {
    expect(await attempt(() => undefined)).toMatchObject({ printed: [{ status: 'done' }], error: undefined });
  });

  it('of unknown outcome prints that, and is exit 7', async () => {
    expect(await attempt(cut)).toMatchObject({ printed: [{ status: 'unknown' }], error: { exit: 7 } });
  });

  it('that failed is the error alone', async () => {
    expect(await attempt(refused)).toMatchObject({ printed: [], error: { exit: 6 }, counted: { sent: 1 } });
  });

  it('that made one of two alike is unknown: nobody can say which', async () => {
    const printed: unknown[] = [];
    const rows: object[] = [];
    const list = () => ({
      async *pages() {
        yield { rows: [...rows], total: rows.length };
      },
    });
    const { call } = callOf(operations.projects.create, { name: 'Quay' }, () => {
      rows.push({ id: 1, name: 'Quay' }, { id: 2, name: 'Quay' });
      return cut();
    });
    const context = {
      api: { projects: { list } },
      settings: { dryRun: { value: false }, debug: { value: false } },
      clock: { now: () => 0 },
      jobs: async () => ({ wanted: false }),
      exitNotices: createExitNotices(),
      events: { reconciled: () => {}, result: () => {} },
      output: {
        checkNames: async () => {},
        result: async (it: unknown) => void printed.push(it),
        note: () => {},
      },
    } as unknown as Context;
    const work = {
      verb: ['create', 'created'],
      noun: ['project', 'projects'],
      values: {},
      call: () => call,
      columns: [],
    } as const;
    await expect(writeOne(context, {}, work)).rejects.toMatchObject({ exit: 7 });
    expect(printed).toMatchObject([{ status: 'unknown', error: { exit: 7 } }]);
  });
});
