import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cleanHome, finished, startBinary } from '../support/binary.ts';

/**
 * Memory while a large file is checked. The bound is for 200,000 rows; rows held as objects would take twice as
 * much.
 */

const ROWS = 200_000;
const MOST_MB = 220;

const home = cleanHome();
const folder = mkdtempSync(join(tmpdir(), 'ttctl-large-'));
afterAll(() => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

const writeRows = (file: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const stream = createWriteStream(file).on('error', reject).on('finish', resolve);
    stream.write('id,firstname,lastname,role,weekly_hours_limit\n');
    for (let from = 0; from < ROWS; from += 1000) {
      const block = Array.from({ length: Math.min(1000, ROWS - from) }, (_, index) => from + index + 1);
      stream.write(block.map((id) => `${id},First${id},Last ${id},regular-user,${id % 40}\n`).join(''));
    }
    stream.end('1,A,B,boss,1\n');
  });

it('stays flat: nothing is sent, the fault of the last row is told', async () => {
  const file = join(folder, 'large.csv');
  await writeRows(file);
  const [watch, peak] = [join(folder, 'watch.cjs'), join(folder, 'peak')];
  writeFileSync(
    watch,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
  );
  const env = { ...home.env, NODE_OPTIONS: `--require "${watch}"`, TTCTL_STATE_DIR: join(folder, 'state') };
  const args = ['--profile', 'sandbox', 'members', 'update', '--from-file', file, '--yes', '--json'];
  const { stderr, exit } = await finished(startBinary(args, { env }));
  expect(exit).toBe(2);
  const { error } = JSON.parse(stderr);
  expect(error.errors).toEqual([expect.stringContaining(`large.csv:${ROWS + 2}: role: "boss"`)]);
  expect(Number(readFileSync(peak, 'utf8')) / 1024).toBeLessThan(MOST_MB);
});
