import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/error-codes.ts';
import { readLog } from '../support/event-log.ts';
import { listProblems, readSchema } from '../support/json-schemas.ts';
import { runFiles } from '../support/runs.ts';
import { sessionsFor } from '../support/session-runner.ts';
import { openCli } from '../support/use-cli.ts';

/** What the sessions print in JSON, log and save: every key of it is in its schema (docs/schemas/). */

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const counts: Record<string, number> = {};

describe.concurrent('every key is named by its schema', () => {
  const sessions = sessionsFor('embedded');
  afterAll(() => {
    const least = { error: 20, result: 40, log: 200, job: 1, 'job#/$defs/job_row': 2, plan: 3 };
    for (const [name, count] of Object.entries(least))
      expect(counts[name], name).toBeGreaterThanOrEqual(count);
  });

  it.each(sessions)('in the session $name', async ({ steps }) => {
    const t = await openCli({ sandbox: 'demo', env: { TTCTL_OUTPUT: 'json', TTCTL_LOG: 'log.ndjson' } });
    const problems: string[] = [];
    const check = (schema: string, value: unknown, where: string): void => {
      counts[schema] = (counts[schema] ?? 0) + 1;
      problems.push(...listProblems(schema, value).map((problem) => `${where}: ${problem}`));
    };
    const parseLines = (text: string) => text.split('\n').flatMap((line) => parse(line) ?? []);
    /** Of what a command printed; undefined for records of other kinds. */
    const findSchema = (command: string, value: unknown) => {
      const has = (keys: string) => keys.split(' ').every((key) => key in Object(value));
      if (/^ttctl jobs show/.test(command)) return 'job#/$defs/job_row';
      if (has('ttctl_plan') || has('n seen request')) return 'plan';
      if (/^ttctl jobs list/.test(command)) return 'job';
      if (has('target status operation')) return 'result';
      return has('error') ? 'error' : undefined;
    };
    for (const { command } of steps) {
      const { stdout, stderr } = await t.shell(command);
      for (const value of [...[parse(stdout) ?? []].flat(), ...parseLines(stderr)]) {
        const schema = findSchema(command, value);
        if (schema !== undefined) check(schema, value, command);
      }
    }
    const plans = readdirSync(t.folder).filter((name) => name.endsWith('.plan'));
    for (const path of [...plans.map((name) => t.file(name)), ...runFiles(t.state)])
      for (const line of parseLines(readFileSync(path, 'utf8'))) check('plan', line, path);
    if (existsSync(t.file('log.ndjson')))
      for (const line of readLog(t.file('log.ndjson'))) check('log', line, 'the log');
    await t.close();
    expect(problems).toEqual([]);
  });
});

describe('the schemas', () => {
  it('have no room for a key that they do not name, once they are closed', () => {
    expect(listProblems('result', { target: '1', status: 'done', operation: 'x', surprise: 1 })).toEqual([
      ' must NOT have additional properties {"additionalProperty":"surprise"}',
    ]);
  });

  it('have an id with a version, and the code of every error', () => {
    for (const name of ['error', 'result', 'log', 'job', 'plan'] as const)
      expect(readSchema(name).$id).toBe(`urn:ttctl:schema:${name}:1`);
    expect(readSchema('error').$defs.code.anyOf[0].enum).toEqual(Object.keys(ERROR_CODES));
  });
});
