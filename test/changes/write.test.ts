import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import type { AllMatching, WriteMany } from '../../src/changes/change.ts';
import { writeMany } from '../../src/changes/write.ts';
import type { Context } from '../../src/context.ts';
import { ApiError, Cancelled, EXIT, type ExitCode, UsageError } from '../../src/outcome.ts';
import { createDesk, done, listOf, work } from './desk.ts';

/** One write for each of many targets. */

const each = (context: Context, made: WriteMany, options: Readonly<Record<string, unknown>>): Promise<void> =>
  writeMany(context, options, made);

const ok = async () => done;
const refusal = (exit: ExitCode, code = 'refused') =>
  new ApiError(`no (${exit})`, 400, { code: code as ApiError['code'], exit });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const ten = Array.from({ length: 10 }, (_, i) => String(i + 1));
const statuses = (results: readonly { target: string; status: string }[]) =>
  results.map(({ target, status }) => `${target} ${status}`);

const all = (rows: readonly Row[]): AllMatching => ({
  list: () =>
    listOf(async function* () {
      yield { rows: rows.slice(0, 2), total: rows.length };
      yield { rows: rows.slice(2), total: rows.length };
    }),
  ready: (row) => row.status === 'submitted',
  columns: [{ field: 'what', show: () => 'thing' }, { field: 'id' }],
});
const row = (id: number, status = 'submitted') => ({ id, status });

describe('results', () => {
  it('come in the order given, though the answers do not', async () => {
    const service = createDesk();
    const finished: string[] = [];
    await each(
      service.context,
      work(service, ten, async (id) => {
        await pause((11 - Number(id)) * 3);
        finished.push(id);
        return done;
      }),
      {},
    );
    expect(finished).not.toEqual(ten);
    expect(service.sent).toEqual(ten);
    expect(statuses(service.printed)).toEqual(ten.map((id) => `${id} done`));
  });

  it('are on their way 32 at once, and no more', async () => {
    const service = createDesk();
    const many = Array.from({ length: 80 }, (_, i) => String(i + 1));
    let [now, most] = [0, 0];
    await each(
      service.context,
      work(service, many, async () => {
        now += 1;
        most = Math.max(most, now);
        await pause(3);
        now -= 1;
        return done;
      }),
      {},
    );
    expect(most).toBe(32);
  });

  it('tell what the service said, and what went wrong', async () => {
    const service = createDesk();
    const send = async (id: string) => {
      if (id === '2') throw refusal(EXIT.refused);
      return { ...done, data: { id } };
    };
    await expect(each(service.context, work(service, ['1', '2'], send), {})).rejects.toMatchObject({
      exit: 8,
    });
    expect(service.printed).toEqual([
      { target: '1', status: 'done', operation: 'things.approve', message: 'OK', data: { id: '1' } },
      {
        target: '2',
        status: 'failed',
        operation: 'things.approve',
        message: 'no (6)',
        error: { code: 'refused', exit: 6, message: 'no (6)' },
      },
    ]);
  });
});

describe('the end of a run', () => {
  const ending = async (targets: readonly string[], exits: Readonly<Record<string, ExitCode>>) => {
    const service = createDesk();
    const send = async (id: string) => {
      const exit = exits[id];
      if (exit !== undefined) throw refusal(exit, `code_${exit}`);
      return done;
    };
    return each(service.context, work(service, targets, send), {}).then(
      () => 0,
      (error: { exit: number; code: string }) => `${error.exit} ${error.code}`,
    );
  };

  it.each([
    ['all done', ['1', '2'], {}, 0],
    ['one target', ['1'], { 1: 5 }, '5 code_5'],
    ['all failed alike', ['1', '2', '3'], { 1: 5, 2: 5, 3: 5 }, '5 code_5'],
    ['all failed, not alike', ['1', '2'], { 1: 5, 2: 6 }, '8 partial'],
    ['some failed', ['1', '2'], { 1: 5 }, '8 partial'],
    ['the last failed', ['1', '2', '3'], { 3: 4 }, '8 partial'],
    ['one target, named twice', ['1', '1'], { 1: 5 }, '5 code_5'],
  ] as const)('%s', async (_name, targets, exits, expected) => {
    expect(await ending(targets, exits)).toBe(expected);
  });

  it('says how to take it back, only of what is done', async () => {
    const service = createDesk();
    const next = (ids: readonly string[]) => `undo ${ids.join(' ')}`;
    await each(service.context, work(service, ['1', '2', '1'], ok, { next }), {});
    expect(service.notes).toEqual(['undo 1 2']);
  });
});

describe('targets', () => {
  it('named twice are sent once', async () => {
    const service = createDesk();
    await each(service.context, work(service, ['1', '2', '1'], ok), {});
    expect(service.sent).toEqual(['1', '2']);
    expect(statuses(service.printed)).toEqual(['1 done', '2 done', '1 skipped']);
    expect(service.asked[0]?.question).toBe('approve 2 things');
  });

  it('are one though written in two ways', async () => {
    const service = createDesk();
    const resolve = async (name: string) => (name.includes('@') ? '1' : name);
    await each(service.context, work(service, ['a@b', '1'], ok, { resolve, needsConfirmation: false }), {});
    expect(service.sent).toEqual(['1']);
    expect(statuses(service.printed)).toEqual(['a@b done', '1 skipped']);
    expect(service.asked).toEqual([]);
  });

  it('come from stdin, one a line: BOM, CRLF, blanks and empty lines are fine', async () => {
    const service = createDesk({ stdin: '\ufeff1\r\n\r\n  2 \n3' });
    await each(service.context, work(service, ['-'], ok), {});
    expect(service.sent).toEqual(['1', '2', '3']);
  });

  it.each([
    ['none', [], ''],
    ['stdin and others', ['-', '1'], '2'],
    ['--all and others', ['1'], ''],
  ])('%s are wrong usage', async (name, targets, stdin) => {
    const service = createDesk({ stdin });
    const options = name.startsWith('--all') ? { all: true } : {};
    await expect(each(service.context, work(service, targets, ok), options)).rejects.toBeInstanceOf(
      UsageError,
    );
    expect([service.sent, service.asked]).toEqual([[], []]);
  });

  it('are all checked before the first is looked up', async () => {
    const service = createDesk();
    const looked: string[] = [];
    const resolve = async (name: string) => {
      looked.push(name);
      return name;
    };
    await expect(each(service.context, work(service, ['1', '..'], ok, { resolve }), {})).rejects.toThrow(
      'checked',
    );
    expect([looked, service.asked, service.sent]).toEqual([[], [], []]);
  });
});

describe('--max-changes', () => {
  it.each([
    [2, ['1', '2', '3'], false],
    [3, ['1', '2', '3'], true],
    [1, ['1', '1'], true],
    [0, ['1'], false],
  ])('%i with %j: sent %s', async (maxChanges, targets, sends) => {
    const service = createDesk();
    const run = each(service.context, work(service, targets, ok), { maxChanges: String(maxChanges) });
    if (sends) await run;
    else await expect(run).rejects.toMatchObject({ exit: 2 });
    expect(service.sent.length > 0).toBe(sends);
    if (!sends) expect(service.asked).toEqual([]);
  });

  it.each(['x', '-1', '', ' ', '1.5', 'Infinity', '1e3'])(
    '%j is no number of changes',
    async (maxChanges) => {
      const service = createDesk();
      const run = each(service.context, work(service, ['1'], ok), { maxChanges });
      await expect(run).rejects.toMatchObject({ exit: 2, message: expect.stringContaining('--max-changes') });
      expect(service.sent).toEqual([]);
    },
  );
});

describe('--all', () => {
  it('acts on exactly the ones shown: those that match and are in the right state', async () => {
    const service = createDesk({ watched: true });
    const rows = [row(1), row(2, 'approved'), row(3), row(4)];
    await each(service.context, work(service, [], ok, { all: all(rows) }), { all: true });
    expect(service.asked).toEqual([
      {
        question: 'approve 3 things',
        facts: [],
        sample: [
          ['thing', '1'],
          ['thing', '3'],
          ['thing', '4'],
        ],
        more: 0,
      },
    ]);
    expect(service.sent).toEqual(['1', '3', '4']);
  });

  it('reads the list once: what changes while a person thinks is not acted on', async () => {
    const rows = [row(1)];
    const service = createDesk();
    const { confirm } = service.context;
    const context = {
      ...service.context,
      confirm: async (it: Parameters<typeof confirm>[0]) => {
        await confirm(it);
        rows.push(row(2));
      },
    };
    await each(context, work(service, [], ok, { all: all(rows) }), { all: true });
    expect(service.sent).toEqual(['1']);
  });

  it('of none asks nothing and sends nothing', async () => {
    const service = createDesk();
    await each(service.context, work(service, [], ok, { all: all([row(1, 'open')]) }), { all: true });
    expect([service.asked, service.sent]).toEqual([[], []]);
    expect(service.notes).toEqual(['No things to approve.']);
  });

  it('shows five and how many more there are; asks for one too', async () => {
    const service = createDesk();
    const rows = Array.from({ length: 7 }, (_, i) => row(i + 1));
    await each(service.context, work(service, [], ok, { all: all(rows) }), { all: true });
    expect(service.asked[0]?.sample).toHaveLength(5);
    expect(service.asked[0]?.more).toBe(2);
  });

  it('is not for a command that has none', async () => {
    const service = createDesk();
    await expect(each(service.context, work(service, [], ok), { all: true })).rejects.toMatchObject({
      exit: 2,
    });
  });
});

describe('the question', () => {
  it('is asked of one target only where it destroys or decides', async () => {
    const [asking, plain, many] = [createDesk(), createDesk(), createDesk()];
    await each(asking.context, work(asking, ['1'], ok), {});
    await each(plain.context, work(plain, ['1'], ok, { needsConfirmation: false }), {});
    await each(many.context, work(many, ['1', '2'], ok, { needsConfirmation: false }), {});
    expect([asking, plain, many].map(({ asked }) => asked.length)).toEqual([1, 0, 1]);
  });

  it('says what was picked as it was read, with the id that is sent', async () => {
    const service = createDesk();
    const context = {
      ...service.context,
      picked: new Map([['2', { words: ['Ana Sousa', '38:30'], columns: [] }]]),
    };
    await each(context, work(service, ['1', '2'], ok), {});
    expect(service.asked[0]?.sample).toEqual([['1'], ['Ana Sousa', '38:30', '2']]);
  });

  it('has the state and the age of a record; what became of it does not', async () => {
    const columns = [
      { field: 'who', show: () => 'Ana' },
      { field: 'state', kind: 'state', show: () => 'left' },
      { field: 'since', kind: 'age', show: () => '2026-11-02' },
    ] as const;
    const named = createDesk({ watched: true });
    const found = { ...all([]), row: async (id: string) => row(Number(id)), columns };
    await each(named.context, work(named, ['1'], ok, { all: found }), {});
    expect(named.asked[0]?.sample).toEqual([['Ana', 'left', expect.stringMatching(/./)]]);
    const picking = createDesk({ watched: true });
    const picked = new Map([['1', { words: ['Ana', 'left', '3 d'], columns }]]);
    await each({ ...picking.context, picked }, work(picking, ['1'], ok), {});
    expect(picking.asked[0]?.sample).toEqual([['Ana', 'left', '3 d', '1']]);
    const bulk = createDesk({ watched: true });
    await each(bulk.context, work(bulk, [], ok, { all: { ...all([row(1)]), columns } }), { all: true });
    expect([named.told, picking.told, bulk.told]).toEqual([['Ana'], ['Ana'], ['Ana']]);
  });

  it('that is declined sends nothing', async () => {
    const service = createDesk({ declines: true });
    await expect(each(service.context, work(service, ['1'], ok), {})).rejects.toMatchObject({ exit: 9 });
    expect([service.sent, service.printed]).toEqual([[], []]);
  });

  it('says to a person who is meant, also by targets that were named; the results say it too', async () => {
    const service = createDesk({ watched: true });
    const read: string[] = [];
    const found = {
      ...all([]),
      row: async (id: string) => {
        read.push(id);
        return id === '2' ? undefined : row(Number(id));
      },
      columns: [{ field: 'who', show: () => 'Ana' }, { field: 'id' }],
    };
    const targets = ['1', '2', '3', '4', '5', '6'];
    await each(service.context, work(service, targets, ok, { all: found, hint: () => 'next' }), {});
    expect(read).toEqual(['1', '2', '3', '4', '5']);
    expect(service.asked[0]?.sample?.slice(0, 3)).toEqual([['Ana', '1'], ['2'], ['Ana', '3']]);
    expect(service.told).toEqual(['Ana', undefined, 'Ana', 'Ana', 'Ana', undefined]);
    expect([service.notes, service.hints]).toEqual([[], ['next']]);
  });

  it('reads no record where nobody looks on, and goes on with ids where it may not', async () => {
    const unread = async () => {
      throw refusal(EXIT.forbidden, 'forbidden');
    };
    const [piped, watched] = [createDesk(), createDesk({ watched: true })];
    const found = { ...all([]), row: unread };
    for (const service of [piped, watched]) {
      await each(service.context, work(service, ['1'], ok, { all: found }), {});
      expect(service.asked[0]?.sample).toEqual([['1']]);
      expect([service.sent, service.told]).toEqual([['1'], [undefined]]);
    }
  });

  it('is not asked of a dry run', async () => {
    const service = createDesk({ dryRun: true, declines: true });
    await each(service.context, work(service, ['1', '2'], ok), {});
    expect(service.asked).toEqual([]);
  });
});

describe('an interrupt', () => {
  const many = Array.from({ length: 80 }, (_, i) => String(i + 1));
  const interruptedAt = async (target: string) => {
    const service = createDesk();
    const ends: string[] = [];
    const error = await each(
      service.context,
      work(service, many, async (id) => {
        if (id === target) service.interrupt.abort();
        await pause(5);
        ends.push(id);
        return done;
      }),
      {},
    ).catch((e: unknown) => e);
    return { ...service, ends, error };
  };

  it('begins nothing new, finishes what is on its way, counts, and gives a result for each target', async () => {
    const { sent, ends, printed, unsaid, error } = await interruptedAt('2');
    expect(sent.length).toBeLessThan(many.length);
    expect([...ends].sort()).toEqual([...sent].sort());
    const became = (id: string) => `${id} ${sent.includes(id) ? 'done' : 'skipped'}`;
    expect(statuses(printed)).toEqual(many.map(became));
    expect(printed.at(-1)).toMatchObject({ message: 'interrupted; not sent' });
    expect(unsaid).toEqual(many.filter((id) => !sent.includes(id)));
    expect(error).toMatchObject({
      exit: 130,
      message: `interrupted: ${sent.length} approved, 0 failed, ${80 - sent.length} not sent`,
    });
  });

  it('that caught a write before it left: skipped, not failed', async () => {
    const service = createDesk();
    const error = await each(
      service.context,
      work(service, ['1', '2'], async (id) => {
        if (id === '1') return done;
        service.interrupt.abort();
        throw new Cancelled('interrupted', EXIT.interrupted);
      }),
      {},
    ).catch((e: unknown) => e);
    expect(statuses(service.printed)).toEqual(['1 done', '2 skipped']);
    expect(error).toMatchObject({ exit: 130, message: 'interrupted: 1 approved, 0 failed, 1 not sent' });
  });
});
