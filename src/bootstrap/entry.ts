import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isTerminal, print } from './print.ts';

/** What Node is started with. Says the version and help with few modules loaded; for the rest it starts the program. */

declare const __VERSION__: string;
/** Of the package; empty where it names none. */
declare const __HOMEPAGE__: string;
declare const __BUGS__: string;

const { env, platform } = process;

/** Whether somebody at a terminal has been here before, or brings a token: `ttctl` alone then shows the status. */
const hasStatus = async (): Promise<boolean> => {
  if (![process.stdin, process.stdout, process.stderr].every(({ isTTY }) => isTTY)) return false;
  if (env.TTCTL_TOKEN || env.TTCTL_PROFILE) return true;
  const { resolveDirectories } = await import('../config/environment.ts');
  const { config } = resolveDirectories(env, platform, env.HOME || env.USERPROFILE);
  return ['settings.json', 'credentials.json'].some((name) => config && existsSync(join(config, name)));
};

/** The words whose help is asked for; `undefined`: something else is. */
const findHelpPath = async (words: readonly string[]): Promise<readonly string[] | undefined> => {
  if (words.length === 0) return (await hasStatus()) ? undefined : words;
  if (words[0] === 'help') return words.slice(1);
  return /^(--help|-h)$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : undefined;
};

/** `undefined` for what is no help, and for what the program knows better: aliases, mistakes, other flags. */
const renderHelp = async (words: readonly string[]): Promise<string | undefined> => {
  const path = await findHelpPath(words);
  if (!path?.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const { findHelpPage } = await import('../help/find-page.ts');
  const page = await findHelpPage(path, { homepage: __HOMEPAGE__, bugs: __BUGS__ });
  if (page === undefined) return undefined;
  const [{ chooseWidth, renderHelpText }, { isColoured }] = await Promise.all([
    import('../help/text.ts'),
    import('../config/environment.ts'),
  ]);
  const isTTY = isTerminal();
  const width = chooseWidth(isTTY ? process.stdout.columns : undefined);
  return renderHelpText(page, { width, bold: isColoured({ isTTY }, { flag: undefined, env }) });
};

const answer = async (words: readonly string[]): Promise<string | undefined> =>
  words.length === 1 && /^(--version|-V|version)$/.test(words[0] ?? '')
    ? `ttctl ${__VERSION__}\n`
    : renderHelp(words);

const writeAnswer = (text: string): void =>
  print(text, (error) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`error: the output could not be written\n  ${error.message}\n`);
  });

answer(process.argv.slice(2)).then(async (text) => {
  if (text !== undefined) writeAnswer(text);
  else (await import('../main.ts')).start();
});
