import { existsSync, fstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadNoun } from '../cli/registry.ts';
import { isColoured, resolveDirectories } from '../config/environment.ts';
import { buildRootPage, type HelpPage, renderHelpText, TOPICS } from '../help/page.ts';

/** Of the package; empty where it names none. */
declare const __HOMEPAGE__: string;
declare const __BUGS__: string;

const { env, platform } = process;

/**
 * @param words that ask for help: none, `help` first, or its flag last
 * @returns `undefined` for what the program knows better: aliases, mistakes, other flags
 */
export async function renderHelp(words: readonly string[]): Promise<string | undefined> {
  if (words.length === 0 && hasStatus()) return undefined;
  const path = words[0] === 'help' ? words.slice(1) : words.slice(0, -1);
  if (!path.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const page = await findHelpPage(path);
  if (page === undefined) return undefined;
  const isTTY = isTerminal();
  return renderHelpText(page, isTTY ? process.stdout.columns : undefined, isColoured({ isTTY }, env));
}

async function findHelpPage([first, ...verbs]: readonly string[]): Promise<HelpPage | undefined> {
  if (first === undefined) return buildRootPage({ homepage: __HOMEPAGE__, bugs: __BUGS__ });
  const topic = TOPICS.find(({ name }) => name === first && verbs.length === 0);
  if (topic !== undefined) return (await import('../help/topics.ts')).loadTopicPage(topic.name);
  let node = await loadNoun({ path: first });
  for (const verb of verbs) node = node?.commands?.find(({ name }) => name === verb);
  return node && (await import('../help/command-page.ts')).buildCommandPage(node);
}

/** Whether somebody at a terminal has been here before, or brings a token: `ttctl` alone then shows the status. */
function hasStatus(): boolean {
  if (![process.stdin, process.stdout, process.stderr].every(({ isTTY }) => isTTY)) return false;
  if (env.TTCTL_TOKEN || env.TTCTL_PROFILE) return true;
  const { config } = resolveDirectories(env, platform, env.HOME || env.USERPROFILE);
  return ['settings.json', 'credentials.json'].some((name) => config && existsSync(join(config, name)));
}

/** Without `process.stdout` where a pipe, a file or `/dev/null` is: it loads Node's streams. */
function isTerminal(): boolean {
  try {
    const stdout = fstatSync(1);
    const isThrownAway = stdout.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
    return stdout.isCharacterDevice() && !isThrownAway && process.stdout.isTTY;
  } catch {
    return false;
  }
}
