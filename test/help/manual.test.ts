import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatFlagTerm } from '../../src/cli/flag.ts';
import { buildManualPages } from '../../src/codegen/manual.ts';
import { createSection } from '../../src/help/page.ts';
import { renderRoffHeader, renderRoffSections } from '../../src/help/roff.ts';
import { TOPICS } from '../../src/help/topics.ts';
import { installed } from '../support/installed.ts';
import { leaves, loadProgram } from '../support/tree.ts';

/** The manual: what the build wrote is what the commands say, it is valid, and it can be read at 80 columns. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const pages = await buildManualPages(manifest.version);

describe('the manual', () => {
  it('has a page for the program, each noun and each topic', async () => {
    const nouns = (await loadProgram()).commands.map((noun) => `ttctl-${noun.name}.1`);
    const topics = TOPICS.map(({ name }) => `ttctl-${name}.7`);
    expect([...pages.keys()]).toEqual(['ttctl.1', ...nouns, ...topics]);
  });

  it('is what lies in man/, and what the package lists', () => {
    expect(readdirSync(join(ROOT, 'man')).sort(), 'run: npm run build').toEqual([...pages.keys()].sort());
    for (const [name, text] of pages)
      expect(readFileSync(join(ROOT, 'man', name), 'utf8'), 'run: npm run build').toBe(text);
    const listed = [...pages.keys()].map((name) => `./man/${name}`);
    if (process.env.TTCTL_UPDATE_DOCS === '1') {
      const file = join(ROOT, 'package.json');
      writeFileSync(file, `${JSON.stringify({ ...manifest, man: listed }, null, 2)}\n`);
    } else expect(manifest.man, 'run: npm run docs').toEqual(listed);
    expect(manifest.files).toContain('man');
  });

  it('has every command with its flags, examples and exit codes', async () => {
    for (const { path, command } of await leaves()) {
      const [noun = ''] = path.split(' ');
      const text = (pages.get(`ttctl-${noun}.1`) ?? '').replaceAll('\\-', '-');
      if (path.includes(' ')) expect(text, path).toContain(`.SS "ttctl ${path}"`);
      for (const flag of command.flags) expect(text, path).toContain(`\\fB${formatFlagTerm(flag)}\\fR`);
      expect(text, path).toContain('Exit codes: 0\\ done');
    }
  });

  it('escapes what roff would read', () => {
    const text = renderRoffSections([
      createSection('A\\b "c"', { text: ".dot 'quote' back\\slash --flag\u2026" }),
    ]).join('\n');
    expect(text).toBe('.SH "A\\eB \\(dqC\\(dq"\n\\&.dot \\(aqquote\\(aq back\\eslash \\-\\-flag\\[u2026]');
    expect(renderRoffHeader({ name: 'ttctl-x', section: 7, version: 'ttctl 1', about: 'y' })[0]).toBe(
      '.TH "TTCTL\\-X" 7 "" "ttctl 1" "ttctl manual"',
    );
  });

  const groff = installed('groff', 'how the manual is set') !== undefined;

  it.skipIf(!groff)('is clean to groff, and no line of it is wider than 80 columns', () => {
    for (const [name, text] of pages) {
      const { stdout, stderr, status } = spawnSync(
        'groff',
        ['-man', '-ww', '-Tutf8', '-P-c', '-P-b', '-P-o', '-P-u', '-rLL=80n'],
        { input: text, encoding: 'utf8' },
      );
      expect({ name, stderr, status }).toEqual({ name, stderr: '', status: 0 });
      expect(
        stdout.split('\n').filter((line) => line.length > 80),
        name,
      ).toEqual([]);
    }
  });
});
