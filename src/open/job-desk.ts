import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JobDesk, JobLines, OpenJob } from '../changes/job/desk.ts';
import { diskFailure, errnoOf } from '../disk/failure.ts';
import { createJournal, openJournal, readHead, readJournal } from '../disk/journal.ts';
import { withLock } from '../disk/lock.ts';
import { streamInput } from '../disk/read.ts';
import { isHeld } from '../disk/rivals.ts';
import { makePrivateDirectory, writeDurably } from '../disk/write.ts';
import type { Machine } from '../host/machine.ts';
import { commandLine, shellWord } from '../notation/shell-word.ts';
import { Failure, UsageError } from '../outcome.ts';

/** The journals of bulk runs, one file each in `jobs/` of the state directory: `20261121-1257-kfm.jsonl`. */

export interface JobDeskOptions {
  readonly machine: Machine;
  /** The state directory; undefined where none is known. */
  readonly directory: string | undefined;
  /** The words of the command line. */
  readonly args: readonly string[];
  /** False with `--no-journal`. */
  readonly wanted: boolean;
  readonly warn: (text: string) => void;
}

const NAME = /^(\d{8}-\d{4}-[a-z]{3,})\.jsonl$/;
/** No vowels: no words come out. */
const LETTERS = 'bcdfghjkmnpqrstvwxz';
/** Words of a command line that are kept; a thousand ids tell nobody more. */
const WORDS = 24;

const commandOf = (args: readonly string[]): string => {
  const words = args.map(shellWord);
  const more = words.length > WORDS ? ` … (${words.length - WORDS} more)` : '';
  return `${words.slice(0, WORDS).join(' ')}${more}`;
};

const newId = ({ clock }: Machine, letters: number): string => {
  const time = new Date(clock.now()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
  const letter = () => LETTERS[Math.floor(clock.random() * LETTERS.length)];
  return `${time}-${Array.from({ length: letters }, letter).join('')}`;
};

/** Where no journal can be written, a run over several targets is not begun (docs/requirements.md, CLI-5). */
const refusal = (cause: unknown): Failure =>
  cause instanceof UsageError
    ? cause
    : new UsageError('a run over several targets needs a place for its journal', {
        code: 'no_journal',
        reason:
          cause instanceof Failure
            ? [cause.message, cause.reason].filter(Boolean).join(': ')
            : 'No state directory is known: there is no HOME.',
        hint: 'Name a writable place with TTCTL_STATE_DIR, or go without with --no-journal: then nothing can be resumed.',
        cause,
      });

const absent = (id: string): UsageError =>
  new UsageError(`there is no job "${id}"`, { code: 'no_job', hint: 'See them: ttctl jobs list' });

const busy = (id: string, cause: Failure): UsageError =>
  new UsageError(`job ${id} is at work in another process`, {
    code: 'job_running',
    reason: cause.message,
    hint: `See how far it is: ${commandLine`ttctl jobs show ${id}`}`,
    cause,
  });

/** A holder that was killed is seen at once; this is for two that come together. */
const PATIENCE_MS = 250;

export const createJobDesk = ({ machine, directory, args, wanted, warn }: JobDeskOptions): JobDesk => {
  const { clock, redactor } = machine;
  const folder = directory === undefined ? undefined : join(directory, 'jobs');
  /** Path without its ending. @throws UsageError for what is no job */
  const pathOf = (id: string): string => {
    if (folder === undefined || !NAME.test(`${id}.jsonl`)) throw absent(id);
    return join(folder, id);
  };
  const read = (id: string): JobLines => {
    const found = readJournal(`${pathOf(id)}.jsonl`, warn);
    if (found === undefined) throw absent(id);
    return found;
  };
  const locked = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const options = { timeoutMs: PATIENCE_MS, foreignMs: Number.POSITIVE_INFINITY };
    let begun = false;
    const inside = () => {
      begun = true;
      return work();
    };
    return withLock(pathOf(id), clock, inside, options).catch((error: unknown) => {
      throw !begun && error instanceof Failure && error.code === 'locked' ? busy(id, error) : error;
    });
  };
  const opened = async <T>(id: string, work: (job: OpenJob) => Promise<T>): Promise<T> => {
    const lines = read(id);
    const journal = openJournal(`${pathOf(id)}.jsonl`);
    return work({ id, ...lines, add: journal.add, note: journal.note }).finally(journal.close);
  };
  /** A name that is nobody else's: the folder of its lock is made here. */
  const makePlace = (): string => {
    if (folder === undefined) throw refusal(undefined);
    makePrivateDirectory(folder, warn);
    for (let letters = 3; ; letters += 1) {
      const id = newId(machine, letters);
      try {
        mkdirSync(`${pathOf(id)}.lock`, 0o700);
        return id;
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw diskFailure(error, 'use the directory', folder);
      }
    }
  };
  const ids = (): readonly string[] => {
    try {
      const names = folder === undefined ? [] : readdirSync(folder);
      return names.flatMap((name) => NAME.exec(name)?.slice(1, 2) ?? []).sort();
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return [];
      throw error;
    }
  };
  const failedPath = (id: string): string => `${pathOf(id)}.failed.csv`;
  return {
    get command() {
      return redactor.text(commandOf(args));
    },
    wanted,
    redact: redactor.json,
    ids,
    heads: () => ids().map((id) => readHead(`${pathOf(id)}.jsonl`)),
    read,
    isRunning: (id) => isHeld(pathOf(id), clock),
    async create(lines, work) {
      let begun = false;
      try {
        const id = makePlace();
        return await locked(id, async () => {
          createJournal(`${pathOf(id)}.jsonl`, lines(id));
          begun = true;
          return opened(id, work);
        });
      } catch (error) {
        throw begun ? error : refusal(error);
      }
    },
    reopen: async (id, work) => {
      read(id);
      return locked(id, () => opened(id, work));
    },
    async remove(id) {
      read(id);
      const path = pathOf(id);
      await locked(id, async () => {
        for (const ending of ['.jsonl', '.failed.csv']) rmSync(`${path}${ending}`, { force: true });
      });
      rmSync(`${path}.lock`, { recursive: true, force: true });
    },
    async saveFailed(id, columns, rows) {
      const { csvText } = await import('../terminal/formats/csv.ts');
      const path = resolve(failedPath(id));
      writeDurably(path, csvText(columns, rows));
      return path;
    },
    failedFile: (id) => (existsSync(failedPath(id)) ? resolve(failedPath(id)) : undefined),
    async digest(file) {
      const hash = createHash('sha256');
      try {
        for await (const part of streamInput(file, machine.interrupted)) hash.update(part);
      } catch (error) {
        if (error instanceof UsageError) return undefined;
        throw error;
      }
      return hash.digest('hex');
    },
  };
};
