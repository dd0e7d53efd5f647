import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SCRIPTS } from '../../src/completion/shells.ts';
import { runInProcess } from '../support/in-process.ts';

/** The scripts: current in completions/ (`npm run docs` writes them), printed by their commands, understood by shells. */

describe.each(SCRIPTS)('the script for $shell', ({ shell, file, text, install }) => {
  it('is current in completions/', () => {
    const path = `completions/${file}`;
    if (process.env.TTCTL_UPDATE_DOCS === '1') writeFileSync(path, text);
    expect(readFileSync(path, 'utf8'), 'run: npm run docs').toBe(text);
  });

  it('is printed whole, and evaluates nothing that ttctl answers', async () => {
    expect(await runInProcess(['completion', shell])).toEqual({ stdout: text, stderr: '', exit: 0 });
    expect(text).not.toMatch(/\beval\b|Invoke-Expression|\biex\b/);
  });

  it('has its install line in the help of its command', async () => {
    const { stdout } = await runInProcess(['completion', shell, '--help']);
    for (const [, line] of install) expect(stdout).toContain(line);
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
