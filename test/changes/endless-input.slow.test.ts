import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { BIN, finished } from '../support/process.ts';
import { useCli } from '../support/use-cli.ts';

/** Input without an end is refused early and in bounded memory; wide and long input takes linear time. */

/** Of a service where nobody listens: nothing is asked of it. */
const nowhere = useCli({ env: { TTCTL_BASE_URL: 'http://127.0.0.1:9/api' } });

const SIZE = 'larger than 64 MiB';
const ROWS = 'there are more than 20,000 rows';
const OAUTH = '--base-url http://127.0.0.1:9/api --token-url http://127.0.0.1:9 --client-id a --profile x';

/** `TTCTL` stands for the command. */
const CASES: readonly [line: string, says: string][] = [
  ['yes | TTCTL timesheets approve - --yes', SIZE],
  ['(yes 17 | head -n 20001) | TTCTL timesheets approve - --yes', 'stdin has more than 20,000 lines'],
  ['TTCTL timesheets approve - --yes < /dev/zero', SIZE],
  ['TTCTL timesheets approve --from-file /dev/urandom --yes', SIZE],
  ['(echo id; yes 17) | TTCTL timesheets approve --from-file - --yes', SIZE],
  ['(echo id; yes 17 | head -n 20001) | TTCTL timesheets approve --from-file - --yes', ROWS],
  [
    `(echo id; yes | tr -d '\\n' | head -c 9000000) | TTCTL timesheets approve --from-file - --yes`,
    'too long',
  ],
  ['(yes \'{"id":17}\' | head -n 20001) | TTCTL timesheets approve --from-file - --yes', ROWS],
  ['yes | TTCTL api POST /projects --input -', SIZE],
  ['yes | TTCTL auth login --token-stdin --base-url http://127.0.0.1:9/api --profile x', SIZE],
  [`yes | tr -d '\\n' | TTCTL auth login --client-credentials --client-secret-stdin ${OAUTH}`, SIZE],
  ['yes | TTCTL sandbox webhooks trigger member.invited --data @-', SIZE],
  ['TTCTL sandbox reset --seed /dev/zero --yes', 'It is not a regular file.'],
];

describe.skipIf(process.platform !== 'linux')('input without an end', () => {
  const sandbox = useCli({ sandbox: 'demo' });
  it.each(CASES)('%s', async (line, says) => {
    const write = `require('node:fs').writeFileSync('${sandbox.file('peak')}', `;
    const text = `process.on('exit', () => ${write}String(process.resourceUsage().maxRSS)))`;
    const command = `"${process.execPath}" --require "${sandbox.file('watch.cjs', text)}" "${BIN}"`;
    const child = spawn('bash', ['-c', line.replace('TTCTL', command)], { env: sandbox.processEnv() });
    const { stdout, stderr, exit } = await finished(child);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    const megabytes = Number(sandbox.text('peak')) / 1024;
    expect(megabytes).toBeLessThan(300);
  });
});

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
it.each([
  ['timesheets approve --yes --from-file', 'x.json', `[\n{"id":"1","x":${deep(5_000)}}]`, ':2: not JSON'],
  ['timesheets approve --yes --from-file', 'x.ndjson', `{"id":"1"}\n${deep(5_000)}\n`, ':2: not JSON'],
  ['projects create --name A --input', 'b.json', `\n${deep(5_000)}`, 'line 2, column'],
  ['api POST /projects --input', 'b.json', `\n${deep(500_000)}`, 'line 2, column'],
])('JSON that is nested too deep is wrong usage, with its place: %s %s', async (line, name, text, place) => {
  const { exit, stderr, stdout } = await nowhere.run(`${line} ${nowhere.file(name, text)}`);
  expect([exit, stdout]).toEqual([2, '']);
  expect(stderr).toContain(place);
  expect(stderr).toContain('levels');
});

const columns = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`).join();
it.each<[string, (count: number) => string]>([
  ['unknown columns', (count) => `id,role,${columns(count)}\n1,team-manager,${columns(count)}\n`],
  ['columns without a name', (count) => `id,role${','.repeat(count)}\n1,team-manager${','.repeat(count)}\n`],
  ['one column many times', (count) => `id${',role'.repeat(count)}\n1${',team-manager'.repeat(count)}\n`],
  [
    'columns for other commands',
    (count) => `id,role,operation,${columns(count)}\n1,team-manager,members.update,${columns(count)}\n`,
  ],
  ['a heading without an end', (count) => 'a'.repeat(count * 25)],
  ['a long line of JSON', (count) => `{"id":1,"firstname":"${'x'.repeat(count * 100)}"`],
  ['members of an object', (count) => `{"id":1,${columns(count).replace(/c\d+/g, '"$&":1')}}`],
])('ten times as much takes about ten times as long: %s', async (_name, shape) => {
  const measure = async (count: number): Promise<number> => {
    const begun = process.cpuUsage();
    const { exit } = await nowhere.run('members update --from-file - --dry-run', { stdin: shape(count) });
    const { user, system } = process.cpuUsage(begun);
    expect([0, 2]).toContain(exit);
    return user + system;
  };
  await measure(100);
  const small = await measure(4_000);
  const large = Math.min(await measure(40_000), await measure(40_000));
  // Quadratic, it would be a hundred times as long.
  expect(large / small).toBeLessThan(40);
});
