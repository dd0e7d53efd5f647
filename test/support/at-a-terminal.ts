import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { Cancelled, EXIT } from '../../src/errors.ts';
import type { Machine } from '../../src/platform/machine.ts';
import { type Outcome, runInProcess } from './in-process.ts';

/** One run of the whole program in this process, at a terminal that a script of answers sits before. */

export interface Prompt {
  /** `Member to archive`, without what is typed. */
  readonly message: string;
  /** `mark`: several may be picked. */
  readonly kind: 'pick' | 'mark' | 'text' | 'confirm';
}

export interface Sitting extends Outcome {
  /** All that was asked, in order. */
  readonly prompts: readonly Prompt[];
  /** Everything that stood on stderr, escape sequences taken away. */
  readonly screen: string;
}

export interface SittingOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Keys for a prompt, Enter included. */
  readonly answer: (prompt: Prompt, index: number) => string;
  readonly columns?: number;
}

const keyboard = () =>
  Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode() {
      return this;
    },
  });

/** Like the stderr of a process it is not ended by what is piped into it. */
const screenOf = (columns: number) => Object.assign(new PassThrough(), { columns, _isStdio: true });

const KEYS = /; (type to search|Up and Down to move)/;

/** The prompt that a frame of the screen shows; `undefined` for one that is answered, and for no prompt. */
const promptIn = (frame: string): Prompt | undefined => {
  const confirm = /^\? (.*)\? \(y\/N\) ?$/m.exec(frame);
  if (confirm !== null) return { message: confirm[1] ?? '', kind: 'confirm' };
  const open = /^(?:\? )?([^:(]+?):(?: \((?:[^()]|\([^()]*\))*\))? ?(?:\n|$)/.exec(frame);
  if (open === null) return undefined;
  const keys = KEYS.exec(frame)?.[1] ?? '';
  return { message: open[1] ?? '', kind: keys === '' ? 'text' : keys.startsWith('type') ? 'pick' : 'mark' };
};

/** What stands below a text prompt that did not accept its answer, whose field it has emptied. */
const refusalIn = (frame: string): string | undefined =>
  /^\? [^\n]+:(?: \([^\n]*\))? *\n([^\n]+)$/.exec(frame)?.[1];

/** @throws Error when a prompt does not accept its answer, which it would wait for again */
export const sitDown = async (args: readonly string[], options: SittingOptions): Promise<Sitting> => {
  const [stdin, stderrStream] = [keyboard(), screenOf(options.columns ?? 80)];
  const controller = new AbortController();
  const prompts: Prompt[] = [];
  let all = '';
  let keys = '';
  let refusal: Error | undefined;
  const press = (pressed: string): void => {
    keys = pressed;
    setImmediate(() => stdin.write(pressed));
  };
  const see = (text: string): void => {
    all += text;
  };
  stderrStream.on('data', (chunk: Buffer) => {
    const frame = stripVTControlCharacters(chunk.toString());
    see(frame);
    const prompt = promptIn(frame);
    if (prompt === undefined) return;
    if (!prompts.some(({ message }) => message === prompt.message)) {
      prompts.push(prompt);
      press(options.answer(prompt, prompts.length - 1));
      return;
    }
    const said = prompt.kind === 'text' ? refusalIn(frame) : undefined;
    if (said === undefined || refusal !== undefined) return;
    refusal = new Error(`"${prompt.message}" did not accept ${JSON.stringify(keys)}: ${said}`);
    press('\x03');
  });
  const machine = {
    stdin,
    stderrStream,
    stderr: { isTTY: true, write: async (text: string) => see(text) },
    width: 80,
    interrupted: controller.signal,
    interrupt: () => controller.abort(new Cancelled('interrupted', EXIT.interrupted)),
  } as unknown as Partial<Machine>;
  const outcome = await runInProcess(args, { env: options.env, machine });
  if (refusal !== undefined) throw refusal;
  return { ...outcome, stderr: all, prompts, screen: all };
};
