import { startPart } from './start-part.ts';

/** The file that starts first. It answers `--version` and `--help` alone; for the rest it loads the program. */

declare const __VERSION__: string;
/** Empty while the build asks for it. */
declare const __HELP__: string;

const VERSION = `ttctl ${__VERSION__}\n`;
const HELP = __HELP__;

const answer = (text: string): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`error: the output could not be written\n  ${error.message}\n`);
  });
  process.stdout.write(text);
};

const TEXTS: Readonly<Record<string, string>> = {
  '--version': VERSION,
  '-V': VERSION,
  version: VERSION,
  '--help': HELP,
  '-h': HELP,
  help: HELP,
};

const [, , word = '', ...more] = process.argv;
const text = more.length === 0 && Object.hasOwn(TEXTS, word) ? TEXTS[word] : '';
if (text) answer(text);
else (startPart('main') as { start(): void }).start();
