import { afterEach, beforeEach } from 'vitest';
import { type RunOptions, runInProcess } from './in-process.ts';
import { plainAnswer } from './literal.ts';
import { type Answer, type Recorded, type Recorder, serviceEnv, startRecorder } from './recorder.ts';
import { words } from './words.ts';

/** The program, in this process, before a service of the test's own. */

type Answering = (request: Recorded) => Answer;

const isWrite = (line: string): boolean => !line.startsWith('GET');

const at =
  (recorder: Recorder) =>
  (line: string, { env, ...options }: RunOptions = {}) =>
    runInProcess(words(line), { env: serviceEnv(recorder, env), ...options });

/** A service for one command line. @returns how it ended, and what it asked: each request, and each write */
export const ask = async (line: string, answer: Answering = plainAnswer, options: RunOptions = {}) => {
  const recorder = await startRecorder(answer);
  try {
    const ended = await at(recorder)(line, options);
    const lines = recorder.lines();
    return { ...ended, lines, writes: lines.filter(isWrite) };
  } finally {
    await recorder.close();
  }
};

/** A service for each test of a file, or of a `describe`. */
export const useService = (answer: Answering = plainAnswer) => {
  let recorder: Recorder;
  beforeEach(async () => {
    recorder = await startRecorder(answer);
  });
  afterEach(() => recorder.close());
  return {
    run: (line: string, options: RunOptions = {}) => at(recorder)(line, options),
    requests: () => recorder.requests,
    lines: () => recorder.lines(),
    writes: () => recorder.lines().filter(isWrite),
    env: (more: Readonly<Record<string, string>> = {}) => serviceEnv(recorder, more),
  };
};
