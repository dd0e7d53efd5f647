import { existsSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { resolveDirectories } from '../config/environment.ts';
import { TOO_MANY_FILES } from '../outcome.ts';
import { isTerminal, print } from './print.ts';
import { startPart } from './start-part.ts';

/** The file that starts first. It answers with the version and with help alone; for the rest it loads the program. */

/** What the program's own page is under: no noun begins so. */
const ROOT = '_';

/** Whether somebody at a terminal has been here before, or brings a token: `ttctl` alone then shows the status. */
const hasStatus = (): boolean => {
  const { stdin, stdout, stderr, env, platform } = process;
  if (![stdin, stdout, stderr].every(({ isTTY }) => isTTY)) return false;
  if (env.TTCTL_TOKEN || env.TTCTL_PROFILE) return true;
  const { config } = resolveDirectories(env, platform, env.HOME || env.USERPROFILE);
  return ['settings.json', 'credentials.json'].some((name) => config && existsSync(join(config, name)));
};

/** The words whose help is asked for; `undefined`: something else is. */
const findHelpPath = (words: readonly string[]): readonly string[] | undefined => {
  if (words.length === 0) return hasStatus() ? undefined : words;
  if (words[0] === 'help') return words.slice(1);
  const last = words.at(-1);
  return last === '--help' || last === '-h' ? words.slice(0, -1) : undefined;
};

/** Help that the build has made ready: `help/members.json` has the pages of the noun by the words after it. */
const readPage = ([noun = ROOT, ...verbs]: readonly string[]): string | undefined => {
  try {
    const file = join(__dirname, 'help', `${noun}.json`);
    const pages: Readonly<Record<string, string>> = JSON.parse(readFileSync(file, 'utf8'));
    const path = verbs.join(' ');
    return Object.hasOwn(pages, path) ? pages[path] : undefined;
  } catch {
    return undefined; // an alias, a mistake: the program knows
  }
};

/** `undefined` for what is the program's business: colour that is asked for, a narrow terminal, other names, mistakes. */
const findPrebuiltHelp = (words: readonly string[]): string | undefined => {
  const path = findHelpPath(words);
  if (path === undefined || !path.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const { env } = process;
  const isAtTerminal = isTerminal();
  if (env.FORCE_COLOR || (isAtTerminal && process.stdout.columns < 80)) return undefined;
  const text = readPage(path);
  const isPlain = !isAtTerminal || env.NO_COLOR || env.TERM === 'dumb';
  return isPlain ? text : text?.replace(/^[A-Z].*:$/gm, '\u001b[1m$&\u001b[22m');
};

declare const __VERSION__: string;

const writeAnswer = (text: string): void =>
  print(text, (error) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`error: the output could not be written\n  ${error.message}\n`);
  });

const words = process.argv.slice(2);
const [first = ''] = words;
const version = words.length === 1 && ['--version', '-V', 'version'].includes(first);
const text = version ? `ttctl ${__VERSION__}\n` : findPrebuiltHelp(words);

/** Of the ways to ask for JSON the one that needs no more of the program to be known. */
const formatTooManyFiles = (what: string): string => {
  const { code, reason: message, hint } = TOO_MANY_FILES;
  return words.includes('--json')
    ? `${JSON.stringify({ error: { code, exit: 1, message, reason: what, hint } })}\n`
    : `error: ${message}\n  ${what}\nhint: ${hint}\n`;
};

const start = (): void => {
  try {
    (startPart('main') as { start(): void }).start();
  } catch (error) {
    if (!(error instanceof Error) || !/^E[MN]FILE$/.test(String(Reflect.get(error, 'code')))) throw error;
    process.exitCode = 1;
    // A stream would need one more.
    writeSync(2, formatTooManyFiles(error.message));
  }
};

if (text === undefined) start();
else writeAnswer(text);
