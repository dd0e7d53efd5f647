import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { prepareSample, samples } from './samples.ts';
import { faultsOfBody } from './support/documented-types.ts';
import { listProblems } from './support/json-schemas.ts';
import { runFiles } from './support/runs.ts';
import { useCli } from './support/use-cli.ts';

/** From a dry run to the history, for each write. */

const t = useCli({ sandbox: 'demo' });

it.each(samples)(
  '$operation: what is planned is sent, in documented types, and stands in the history',
  async (sample) => {
    const { line, request } = await prepareSample(t, sample);
    const before = await t.sent();
    const [, method, path, query, sent] = /^(\S+) ([^?\s]+)(?:\?(\S*))?(?: (.*))?$/.exec(request) ?? [];
    const body = sent === undefined ? {} : { body: JSON.parse(sent) };
    expect(faultsOfBody(body.body ?? {})).toEqual([]);

    const [planned] = await t.rows(`${line} --dry-run`);
    const asked = { method, path, query: Object.fromEntries(new URLSearchParams(query)), ...body };
    const about = { operation: sample.operation };
    expect(planned).toMatchObject({ ...about, status: 'planned' });
    expect(planned?.['request']).toEqual(asked);
    expect(listProblems('result', planned)).toEqual([]);
    expect(await t.sent()).toEqual(before);

    const [result] = await t.rows(`${line} --yes`);
    expect(await t.sent()).toEqual([...before, request]);
    const [entry] = await t.entries();
    expect(entry).toMatchObject({ ...about, target: planned?.['target'], status: 'done' });
    expect(entry?.['after']).toEqual(planned?.['after'] ?? null);
    // A creation prints the record.
    if (result?.['operation'] !== undefined) expect(listProblems('result', result)).toEqual([]);
    for (const file of runFiles(t.state))
      for (const written of readFileSync(file, 'utf8').trim().split('\n'))
        expect(listProblems('plan', JSON.parse(written))).toEqual([]);
  },
);
