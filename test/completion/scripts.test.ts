import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SCRIPTS } from '../../src/completion/shells.ts';
import { runInProcess } from '../support/in-process.ts';
import { installed } from '../support/process.ts';

/** The scripts: current in completions/ (`npm run docs` writes them), printed by their commands, understood by shells. */

const FOLDER = fileURLToPath(new URL('../../completions/', import.meta.url));

const isTried = (shell: string): boolean =>
  ['bash', 'zsh', 'fish'].includes(shell) &&
  installed(shell, `whether ${shell} can read its script`) !== undefined;

describe.each(SCRIPTS)('the script for $shell', ({ shell, file, text, install }) => {
  it('is current in completions/', () => {
    if (process.env.TTCTL_UPDATE_DOCS === '1') {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(`${FOLDER}${file}`, text);
    }
    expect(readFileSync(`${FOLDER}${file}`, 'utf8'), 'run: npm run docs').toBe(text);
  });

  it('is printed whole, and nothing else', async () => {
    expect(await runInProcess(['completion', shell])).toEqual({ stdout: text, stderr: '', exit: 0 });
  });

  it('has its install line in the help of its command, within 80 columns', async () => {
    const { stdout } = await runInProcess(['completion', shell, '--help']);
    for (const [, line] of install) expect(stdout).toContain(line);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it.skipIf(!isTried(shell))('is read by it', () => {
    execFileSync(shell, ['-n', `${FOLDER}${file}`]);
  });

  it('evaluates nothing that ttctl answers', () => {
    expect(text).not.toMatch(/\beval\b|Invoke-Expression|\biex\b/);
  });
});

// No PowerShell can be had from Debian: what can be said of its script without one.

const text = SCRIPTS.find(({ shell }) => shell === 'powershell')?.text ?? '';

it('the script for powershell registers ttctl, asks through the environment, and takes the variable away again', () => {
  expect(text).toContain('Register-ArgumentCompleter -Native -CommandName ttctl');
  expect(text).toMatch(/\$env:TTCTL_COMPLETE_WORDS = .*\[char\]0x1f/);
  expect(text).toContain('ttctl __complete powershell 2>$null');
  expect(text).toMatch(/finally \{\s+Remove-Item Env:TTCTL_COMPLETE_WORDS/);
});

it('the script for powershell closes what it opens', () => {
  const bare = text.replace(/'[^']*'/g, '').replace(/#.*$/gm, '');
  for (const [open = '', close = ''] of ['()', '{}', '[]'])
    expect(bare.split(open).length, open).toBe(bare.split(close).length);
});
