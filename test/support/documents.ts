import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './oauth.ts';
import { finished } from './process.ts';
import { matches, parseSession, sessionPlace } from './session-runner.ts';
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

/** A line of a diff begins as a request does in a session. */
const NOTHING = /^\b$/;

/** A shell, and a second terminal in which something may listen. */
class Reader {
  readonly place = sessionPlace({ TTCTL_PROFILE: 'sandbox', ...fridayClock() });
  listener: { readonly terminal: Terminal; readonly event: RegExp } | undefined;
  /** What is exported stays so for the next block. */
  readonly exports = join(this.place.folder, '..', 'exports');

  scriptOf(text: string): string {
    const before = existsSync(this.exports) ? `. '${this.exports}'\n` : '';
    return `${before}cd '${this.place.folder}'\n${text}\nexport -p > '${this.exports}'\n`;
  }

  open({ line, text }: Block, replies: readonly Reply[] = []): Terminal {
    const file = join(this.place.folder, '..', `block-${line}.sh`);
    writeFileSync(file, this.scriptOf(text));
    return openScript(file, this.place.env, replies);
  }

  async read(block: Block): Promise<void> {
    const { language, text, line } = block;
    if (language === LATER)
      appendFileSync(this.exports, '\nexport CLOCK_AHEAD_MS=$((CLOCK_AHEAD_MS + 86400000))\n');
    else if (language === 'console') await this.compare(block);
    else if (/webhooks listen/.test(text)) {
      const terminal = this.open(block);
      await terminal.until(/Press\s+Ctrl-C\s+to\s+stop\./);
      this.listener = { terminal, event: new RegExp(`${/--event (\S+)/.exec(text)?.[1]}[^]*valid`) };
    } else {
      const { exit, screen } = await this.open(block, REPLIES).ended;
      if (exit !== 0) throw new Error(`line ${line}: exit ${exit}\n${text}\n---\n${screen}`);
      await this.endListening();
    }
  }

  /** What it waited for has come; then Ctrl-C. */
  async endListening(): Promise<void> {
    const { terminal, event } = this.listener ?? {};
    this.listener = undefined;
    if (terminal === undefined || event === undefined) return;
    await terminal.until(event);
    terminal.type('\x03');
    const { exit, screen } = await terminal.ended;
    if (exit !== 130) throw new Error(`the listener ended with ${exit}\n${screen}`);
  }

  /** What is shown is stdout and stderr in the order in which they come. */
  async compare({ line, text }: Block): Promise<void> {
    const { folder, env } = this.place;
    for (const step of parseSession(text, NOTHING)) {
      const script = `exec 2>&1\n${this.scriptOf(step.command)}`;
      const { stdout } = await finished(spawn('bash', ['-c', script], { cwd: folder, env: { ...env } }));
      if (matches(step.stdout, stdout.replace(/\n$/, '').split('\n'))) continue;
      const about = `line ${line + step.line - 1}: $ ${step.command}`;
      throw new Error(`${about}\nshown:\n${step.stdout.join('\n')}\nprinted:\n${stdout}`);
    }
  }
}

/** @throws Error at the first block that fails, or prints something else than is shown */
export const runBlocks = async (written: readonly Block[]): Promise<void> => {
  const reader = new Reader();
  try {
    for (const block of await withFreePorts(written)) await reader.read(block);
  } finally {
    reader.listener?.terminal.type('\x03');
    reader.place.remove();
  }
};
