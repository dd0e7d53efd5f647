import { basename, dirname } from 'node:path';
import { toText } from '../json.ts';

/** Not with `=` in front: zsh reads that as the path of a program. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** What a terminal would not show as it is, and what a CI runner would obey. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|##\w*\[|section_(?:start|end):\d/u;

/** A word as `sh` and its kin read it: for command lines that people copy. What is hidden is told by its bytes. */
export function quoteShellWord(word: string): string {
  if (!HIDDEN.test(word)) return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  const bytes = [...Buffer.from(word)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`);
  return `"$(printf '${bytes.join('')}')"`;
}

export function placeholder(name: string): symbol {
  return Symbol(name);
}

/** Makes a command line from a template, whose values are its words, lists of words and placeholders. */
export type CommandLine = (texts: readonly string[], ...values: readonly unknown[]) => string;

/**
 * Command lines for `sh` and its kin, to be copied. A word that begins with a dash is never taken for a flag.
 * @param flags what each of them ends in: flags, each with its value
 */
export function createCommandTemplate(flags: readonly string[]): CommandLine {
  return (texts, ...values) => {
    let line = '';
    const operands: string[] = [];
    const add = (word: unknown): void => {
      const text = typeof word === 'symbol' ? `<${word.description}>` : toText(word);
      const quoted = typeof word === 'symbol' ? text : quoteShellWord(text);
      if (!text.startsWith('-')) line += quoted;
      else if (/(^|\s)--[\w-]+ $/.test(line)) line = `${line.slice(0, -1)}=${quoted}`;
      else if (line.startsWith('ttctl')) {
        line = line.trimEnd();
        operands.push(quoted);
      } else line += quoteShellWord(`./${text}`);
    };
    for (const [i, text] of texts.entries()) {
      line += text;
      const words = i < values.length ? [values[i]].flat() : [];
      for (const [at, word] of words.entries()) {
        if (at > 0) line += ' ';
        add(word);
      }
    }
    if (operands.length > 0) line = line.trimEnd();
    for (let i = 0; i < flags.length; i += 2) {
      line += ` ${flags[i]} `;
      add(flags[i + 1]);
    }
    return operands.length === 0 ? line : `${line} -- ${operands.join(' ')}`;
  };
}

/** A command line that goes wherever the settings lead, or names it itself. */
export const commandLine = createCommandTemplate([]);

/**
 * Lines that run a command once, in the zone of this machine.
 * @param node path of the program that runs it
 * @param entry what was started: a `ttctl` on PATH, or a script with another name
 */
export function formatTimers(line: string, time: Date, { node, entry }: Record<'node' | 'entry', string>) {
  const year = time.getFullYear();
  const parts = [time.getMonth() + 1, time.getDate(), time.getHours(), time.getMinutes()];
  const [month, day, hours, minutes] = parts.map((part) => String(part).padStart(2, '0'));
  const isNamed = basename(entry) === 'ttctl';
  const command = isNamed ? line : line.replace(/^ttctl/, () => [node, entry].map(quoteShellWord).join(' '));
  const folders = new Set([entry, node].map((path) => quoteShellWord(dirname(path))));
  // Cron knows no years, few folders, and no plain percent sign.
  const cron = `[ $(date +%Y) = ${year} ] && ${isNamed ? `PATH=${[...folders].join(':')}:$PATH ` : ''}${command}`;
  return [
    'With cron (crontab -e):',
    `    ${minutes} ${hours} ${day} ${month} * ${cron.replaceAll('%', '\\%')}`,
    'With systemd, if this machine is not restarted before:',
    `    systemd-run --user --setenv=PATH="$PATH" --on-calendar='${year}-${month}-${day} ${hours}:${minutes}' ${command}`,
  ].join('\n');
}
