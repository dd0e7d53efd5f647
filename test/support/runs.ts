import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatRun, type PlannedWrite, parseRun, type RunHead } from '../../src/changes/journal.ts';

/** The files of runs below a state directory. */

export const runFile = (state: string, id: string): string =>
  join(state, 'runs', `${id.slice(0, 4)}-${id.slice(4, 6)}`, `${id}.jsonl`);

/** Their paths, by their ids. */
export const runFiles = (state: string): readonly string[] => {
  try {
    return readdirSync(join(state, 'runs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .map((name) => join(state, 'runs', name));
  } catch {
    return [];
  }
};

/** Files of runs of several writes: their ids have three letters. */
export const bulkFiles = (state: string): readonly string[] =>
  runFiles(state).filter((path) => /-[a-z]{3}\.jsonl$/.test(path));

/** A file of ours becomes another run, with its checksum made again. @param steps so many of its steps */
export const copyRun = (
  from: string,
  to: string,
  {
    steps = Number.POSITIVE_INFINITY,
    head = {},
  }: { readonly steps?: number; readonly head?: Partial<RunHead> } = {},
): void => {
  const text = readFileSync(from, 'utf8');
  const run = parseRun(text);
  const { sha256: _, ...old } = run.head as RunHead;
  const lines = text.trimEnd().split('\n').slice(1);
  const writes = lines.slice(0, run.rows.length).map((line): PlannedWrite => JSON.parse(line));
  const rest = lines.slice(run.rows.length, run.rows.length + steps).map((line) => `${line}\n`);
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  writeFileSync(to, formatRun({ ...old, ...head }, writes) + rest.join(''), { mode: 0o600 });
};
