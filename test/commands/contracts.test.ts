import { describe, expect, it } from 'vitest';
import { onePage } from '../support/service.ts';
import { ask } from '../support/use-cli.ts';

/** Requests and fields are those of docs/service.md, Contracts. */

describe('contracts', () => {
  const ana = { id: 1, project_name: 'Site', user_firstname: 'Ana', user_lastname: 'Sá', status: 'active' };
  const shown = (...rows: readonly object[]) => ask('contracts list', () => ({ body: onePage(rows) }));

  it('show rates only to those who get them, and whose rate it is in words', async () => {
    expect((await shown(ana)).stdout).not.toMatch(/RATE/);
    const rated = { ...ana, id: 2, rate: 75.5, rate_type: 3 };
    const { stdout } = await shown(ana, rated, { ...ana, id: 3, rate_type: 9 });
    expect(stdout).toMatch(/RATE {2}RATE FROM/);
    expect(stdout).toMatch(/75\.50 {2}project's/);
    expect(stdout).toMatch(/- {2}9/);
  });

  it('fetch names only where the records lack them', async () => {
    expect((await shown({ ...ana, project_id: 5, user_id: 12 })).lines).toHaveLength(1);
    expect((await shown({ id: 1, project_id: 5, user_id: 12 })).lines.slice(1).sort()).toEqual([
      'GET /members?workspace_id=7&page=1&per_page=100',
      'GET /projects?workspace_id=7&page=1&per_page=100',
    ]);
  });
});
