import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './oauth.ts';
import { finished } from './process.ts';
import { matches, type Place, parseSession, sessionPlace } from './session-runner.ts';
import { openScript, type Reply, type Terminal } from './terminal.ts';

/** The documents for users, and the blocks of code in them. */

export interface Block {
  /** Of the fence: `sh`, `console`, `yaml`; or `LATER`. */
  readonly language: string;
  readonly text: string;
  /** Line of its first line in the file, from 1. */
  readonly line: number;
}

export interface Section {
  /** `README.md: Sign in` */
  readonly name: string;
  readonly blocks: readonly Block[];
}

/** Of a block without a text, for `<!-- a day later -->`: what follows is done on the next day. */
export const LATER = 'later';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Paths from the root of the repository. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  ...readdirSync(`${ROOT}docs`)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
];

export const readDocument = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');

interface Open {
  readonly language: string;
  readonly line: number;
  readonly lines: string[];
}

/** The sections of a document (`## `), each with its blocks. A block before the first belongs to none. */
export const sectionsOf = (path: string, text: string): Section[] => {
  const sections: { name: string; blocks: Block[] }[] = [];
  let open: Open | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(\w*)$/.exec(line);
    if (fence !== null && open === undefined) {
      open = { language: fence[1] ?? '', line: index + 2, lines: [] };
    } else if (fence !== null && open !== undefined) {
      sections.at(-1)?.blocks.push({ language: open.language, line: open.line, text: open.lines.join('\n') });
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (line === '<!-- a day later -->')
      sections.at(-1)?.blocks.push({ language: LATER, line: index + 1, text: '' });
    else if (line.startsWith('## ')) sections.push({ name: `${path}: ${line.slice(3)}`, blocks: [] });
  }
  if (open !== undefined) throw new Error(`${path}:${open.line - 1}: a block that does not end`);
  return sections;
};

/** Carries out what a document tells to do, as its reader would: block after block, in one shell. */

/** A Friday: what the documents show is of that day. */
const DAY = '2026-11-20T10:00:00Z';
const CLOCK = fileURLToPath(new URL('turn-clock.cjs', import.meta.url));

/** Turns the clock of each `ttctl` to that Friday, whenever the test is run. */
export const fridayClock = (): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--require "${CLOCK}"`,
  CLOCK_AHEAD_MS: String(Date.parse(DAY) - Date.now()),
});

/** What a reader types: yes to a question; a look at the inbox. */
const REPLIES: readonly Reply[] = [
  [/\(y\/N\)/, 'y\r'],
  [/Inbox: \d+ waiting[\s\S]*q quit/, 'q'],
];

/** The ports that are written may be taken on this machine. */
const withFreePorts = async (blocks: readonly Block[]): Promise<Block[]> => {
  const ports = new Map<string, string>();
  for (const name of ['4747', '4748']) ports.set(name, String(await freePort()));
  const changed = (text: string) => text.replace(/\b474[78]\b/g, (port) => ports.get(port) ?? port);
  const listen = `webhooks listen --port ${ports.get('4748')} `;
  return blocks.map((block) => ({
    ...block,
    text: changed(block.text).replaceAll('webhooks listen ', listen),
  }));
};

interface Shell {
  readonly place: Place;
  /** A second terminal, in which something listens. */
  readonly listeners: { terminal: Terminal; event: RegExp }[];
}

const exportsOf = ({ folder }: Place): string => join(folder, '..', 'exports');

const DAY_MS = 86_400_000;
const turnClock = (place: Place): void =>
  appendFileSync(exportsOf(place), `\nexport CLOCK_AHEAD_MS=$((CLOCK_AHEAD_MS + ${DAY_MS}))\n`);

/** What is exported stays so for the next block. */
const scriptOf = ({ text }: Block, place: Place): string => {
  const { folder } = place;
  const kept = exportsOf(place);
  const before = existsSync(kept) ? `. '${kept}'\n` : '';
  return `${before}cd '${folder}'\n${text}\nexport -p > '${kept}'\n`;
};

const write = (block: Block, place: Place): string => {
  const file = join(place.folder, '..', `block-${block.line}.sh`);
  writeFileSync(file, scriptOf(block, place));
  return file;
};

const runScript = async (block: Block, { place }: Shell): Promise<void> => {
  const { exit, screen } = await openScript(write(block, place), place.env, REPLIES).ended;
  if (exit !== 0) throw new Error(`line ${block.line}: exit ${exit}\n${block.text}\n---\n${screen}`);
};

/** Listens, while the next blocks run, as in a second terminal. */
const startListening = async (block: Block, { place, listeners }: Shell): Promise<void> => {
  const terminal = openScript(write(block, place), place.env);
  await terminal.until(/Press\s+Ctrl-C\s+to\s+stop\./);
  listeners.push({ terminal, event: new RegExp(`${/--event (\S+)/.exec(block.text)?.[1]}[^]*valid`) });
};

/** What it waited for has come; then Ctrl-C. */
const endListening = async ({ listeners }: Shell): Promise<void> => {
  for (const { terminal, event } of listeners.splice(0)) {
    await terminal.until(event);
    terminal.type('\x03');
    const { exit, screen } = await terminal.ended;
    if (exit !== 130) throw new Error(`the listener ended with ${exit}\n${screen}`);
  }
};

/** What is shown is stdout and stderr in the order in which they come. Nothing shown: anything may come. */
const runShown = async (block: Block, { place }: Shell): Promise<void> => {
  for (const step of parseSession(block.text)) {
    const script = scriptOf({ ...block, text: step.command }, place);
    const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], { cwd: place.folder, env: { ...place.env } });
    const { stdout } = await finished(child);
    const lines = stdout.replace(/\n$/, '').split('\n');
    if (!matches(step.stdout, lines)) {
      throw new Error(
        `line ${block.line + step.line - 1}: $ ${step.command}\nshown:\n${step.stdout.join('\n')}\nprinted:\n${stdout}`,
      );
    }
  }
};

/** @throws Error at the first block that fails, or prints something else than is shown */
export const runBlocks = async (written: readonly Block[]): Promise<void> => {
  const place = sessionPlace({ TTCTL_PROFILE: 'sandbox', ...fridayClock() });
  const shell: Shell = { place, listeners: [] };
  try {
    for (const block of await withFreePorts(written)) {
      if (block.language === LATER) turnClock(place);
      else if (block.language === 'console') await runShown(block, shell);
      else if (/webhooks listen/.test(block.text)) await startListening(block, shell);
      else {
        await runScript(block, shell);
        await endListening(shell);
      }
    }
  } finally {
    for (const { terminal } of shell.listeners) terminal.type('\x03');
    place.remove();
  }
};
