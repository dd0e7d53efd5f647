import { writeSync } from 'node:fs';
import { readyHelp } from './ready-help.ts';
import { startPart } from './start-part.ts';

/** The file that starts first. It answers with the version and with help alone; for the rest it loads the program. */

declare const __VERSION__: string;

const answer = (text: string): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`error: the output could not be written\n  ${error.message}\n`);
  });
  process.stdout.write(text);
};

const words = process.argv.slice(2);
const [first = ''] = words;
const version = words.length === 1 && ['--version', '-V', 'version'].includes(first);
const text = version ? `ttctl ${__VERSION__}\n` : readyHelp(words);

const start = (): void => {
  try {
    (startPart('main') as { start(): void }).start();
  } catch (error) {
    if (!(error instanceof Error) || !/^E[MN]FILE$/.test(String(Reflect.get(error, 'code')))) throw error;
    process.exitCode = 1;
    // A stream would need one more.
    writeSync(
      2,
      `error: too many open files\n  ${error.message}\nhint: Allow more in this shell: ulimit -n 1024\n`,
    );
  }
};

if (text === undefined) start();
else answer(text);
