import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadNoun } from '../cli/registry.ts';
import { isColoured, resolveDirectories } from '../config/environment.ts';
import { chooseWidth, type HelpPage, renderHelpText } from '../help/page.ts';
import { isTerminal, print } from './print.ts';

/** What Node is started with. Says the version and help with few modules loaded; for the rest it starts the program. */

declare const __VERSION__: string;
/** Of the package; empty where it names none. */
declare const __HOMEPAGE__: string;
declare const __BUGS__: string;

const { env, platform } = process;

/** Whether somebody at a terminal has been here before, or brings a token: `ttctl` alone then shows the status. */
async function hasStatus(): Promise<boolean> {
  if (![process.stdin, process.stdout, process.stderr].every(({ isTTY }) => isTTY)) return false;
  if (env.TTCTL_TOKEN || env.TTCTL_PROFILE) return true;
  const { config } = resolveDirectories(env, platform, env.HOME || env.USERPROFILE);
  return ['settings.json', 'credentials.json'].some((name) => config && existsSync(join(config, name)));
}

/** The words whose help is asked for; `undefined`: something else is. */
async function findHelpPath(words: readonly string[]): Promise<readonly string[] | undefined> {
  if (words.length === 0) return (await hasStatus()) ? undefined : words;
  if (words[0] === 'help') return words.slice(1);
  return /^(--help|-h)$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : undefined;
}

/** `undefined` for what is no help, and for what the program knows better: aliases, mistakes, other flags. */
async function renderHelp(words: readonly string[]): Promise<string | undefined> {
  const path = await findHelpPath(words);
  if (!path?.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const page = await findHelpPage(path);
  if (page === undefined) return undefined;
  const isTTY = isTerminal();
  const width = chooseWidth(isTTY ? process.stdout.columns : undefined);
  return renderHelpText(page, { width, bold: isColoured({ isTTY }, { flag: undefined, env }) });
}

/** The help of the program, a topic or a command by their exact names; `undefined` where there is none. */
async function findHelpPage([first, ...verbs]: readonly string[]): Promise<HelpPage | undefined> {
  const { buildRootPage, TOPICS } = await import('../help/root-page.ts');
  if (first === undefined) return buildRootPage({ homepage: __HOMEPAGE__, bugs: __BUGS__ });
  const topic = TOPICS.find(({ name }) => name === first && verbs.length === 0);
  if (topic !== undefined) return (await import('../help/topics.ts')).TOPIC_PAGES[topic.name];
  let node = await loadNoun({ path: first });
  for (const verb of verbs) node = node?.commands?.find(({ name }) => name === verb);
  return node && (await import('../help/command-page.ts')).buildCommandPage(node);
}

async function answer(words: readonly string[]): Promise<string | undefined> {
  return words.length === 1 && /^(--version|-V|version)$/.test(words[0] ?? '')
    ? `ttctl ${__VERSION__}\n`
    : renderHelp(words);
}

function writeAnswer(text: string): void {
  print(text, (error) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`error: the output could not be written\n  ${error.message}\n`);
  });
}

answer(process.argv.slice(2)).then(async (text) => {
  if (text !== undefined) writeAnswer(text);
  else (await import('../main.ts')).start();
});
