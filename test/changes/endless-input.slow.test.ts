import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import { BIN, cleanHome, finished } from '../support/process.ts';

/** Input without an end is refused early and in bounded memory; wide and long input takes linear time. */

const home = cleanHome();
const folder = makeFolder();
const [watch, peak] = [join(folder, 'watch.cjs'), join(folder, 'peak')];
writeFileSync(
  watch,
  `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(peak)}, String(process.resourceUsage().maxRSS)));`,
);
afterAll(() => home.remove());

const MOST_MB = 300;
const SIZE = 'larger than 64 MiB';
const ROWS = 'there are more than 20,000 rows';
const ONE_LINE = "yes | tr -d '\\n'";
const OAUTH = '--base-url http://127.0.0.1:9/api --token-url http://127.0.0.1:9 --client-id a --profile x';

/** `TTCTL` stands for the command. */
const CASES: readonly [line: string, says: string][] = [
  ['yes | TTCTL timesheets approve - --yes', SIZE],
  ['(yes 17 | head -n 20001) | TTCTL timesheets approve - --yes', 'stdin has more than 20,000 lines'],
  ['TTCTL timesheets approve - --yes < /dev/zero', SIZE],
  ['TTCTL timesheets approve --from-file /dev/urandom --yes', SIZE],
  ['(echo id; yes 17) | TTCTL timesheets approve --from-file - --yes', SIZE],
  ['(echo id; yes 17 | head -n 20001) | TTCTL timesheets approve --from-file - --yes', ROWS],
  [`(echo id; ${ONE_LINE} | head -c 9000000) | TTCTL timesheets approve --from-file - --yes`, 'too long'],
  ['(yes \'{"id":17}\' | head -n 20001) | TTCTL timesheets approve --from-file - --yes', ROWS],
  ['yes | TTCTL api POST /projects --input -', SIZE],
  ['yes | TTCTL auth login --token-stdin --base-url http://127.0.0.1:9/api --profile x', SIZE],
  [`${ONE_LINE} | TTCTL auth login --client-credentials --client-secret-stdin ${OAUTH}`, SIZE],
  ['yes | TTCTL sandbox webhooks trigger member.invited --data @-', SIZE],
  ['TTCTL sandbox reset --seed /dev/zero --yes', 'It is not a regular file.'],
];

describe.skipIf(process.platform !== 'linux')('input without an end', () => {
  it.each(CASES)('%s', async (line, says) => {
    const command = `"${process.execPath}" --require "${watch}" "${BIN}"`;
    const env = { ...home.env, TTCTL_PROFILE: 'sandbox', TTCTL_STATE_DIR: join(folder, 'state') };
    const child = spawn('bash', ['-c', line.replace('TTCTL', command)], { env });
    const { stdout, stderr, exit } = await finished(child);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect(Number(readFileSync(peak, 'utf8')) / 1024).toBeLessThan(MOST_MB);
  });
});

describe('JSON that is nested too deep', () => {
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  it.each([
    ['timesheets approve --yes --from-file', 'x.json', `[\n{"id":"1","x":${deep(5_000)}}]`, ':2: not JSON'],
    ['timesheets approve --yes --from-file', 'x.ndjson', `{"id":"1"}\n${deep(5_000)}\n`, ':2: not JSON'],
    ['projects create --name A --input', 'b.json', `\n${deep(5_000)}`, 'line 2, column'],
    ['api POST /projects --input', 'b.json', `\n${deep(500_000)}`, 'line 2, column'],
  ])('is wrong usage, with its place: %s %s', async (line, name, text, place) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    const env = {
      TTCTL_BASE_URL: 'http://127.0.0.1:9/api',
      TTCTL_TOKEN: 't-of-a-test',
      TTCTL_WORKSPACE: '7',
    };
    const { exit, stderr, stdout } = await runInProcess([...line.split(' '), file], { env });
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(place);
    expect(stderr).toContain('levels');
  });
});

describe('ten times as much takes about ten times as long:', () => {
  const columns = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`).join();
  const SHAPES: Readonly<Record<string, (count: number) => string>> = {
    'unknown columns': (count) => `id,role,${columns(count)}\n1,team-manager,${columns(count)}\n`,
    'columns without a name': (count) => `id,role${','.repeat(count)}\n1,team-manager${','.repeat(count)}\n`,
    'one column many times': (count) => `id${',role'.repeat(count)}\n1${',team-manager'.repeat(count)}\n`,
    'columns for other commands': (count) =>
      `id,role,operation,${columns(count)}\n1,team-manager,members.update,${columns(count)}\n`,
    'a heading without an end': (count) => 'a'.repeat(count * 25),
    'a long line of JSON': (count) => `{"id":1,"firstname":"${'x'.repeat(count * 100)}"`,
    'members of an object': (count) => `{"id":1,${columns(count).replace(/c\d+/g, '"$&":1')}}`,
  };

  const cpu = async (text: string): Promise<number> => {
    const env = {
      TTCTL_BASE_URL: 'http://127.0.0.1:9/api',
      TTCTL_TOKEN: 't-of-a-test',
      TTCTL_WORKSPACE: '7',
    };
    const begun = process.cpuUsage();
    const { exit } = await runInProcess(['members', 'update', '--from-file', '-', '--dry-run'], {
      env,
      stdin: text,
    });
    const { user, system } = process.cpuUsage(begun);
    expect([0, 2]).toContain(exit);
    return user + system;
  };

  it.each(Object.entries(SHAPES))('%s', async (_name, shape) => {
    await cpu(shape(100));
    const small = await cpu(shape(4_000));
    const large = Math.min(await cpu(shape(40_000)), await cpu(shape(40_000)));
    // Quadratic, it would be a hundred times as long.
    expect(large / small).toBeLessThan(40);
  });
});
