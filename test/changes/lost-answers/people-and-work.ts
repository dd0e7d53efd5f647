import { blank, type Case, gone, list, one } from './case.ts';

const invite = 'viewers invite eve@c.example --firstname Eve --lastname Okafor';
const eve = { id: 31, email: 'EVE@c.example', firstname: 'Eve', lastname: 'Okafor' };
const project = 'projects create --name Site --budget 500 --deadline 2026-12-18';
const site = { id: 5, name: 'Site', budget_estimation: '500.00', deadline: '2026-12-18T00:00:00Z' };
const contract = 'contracts create --project 5 --member 12 --rate 75.5';
const row = { id: 40, project_id: 5, user_id: 12, rate: '75.50' };
const task = 'tasks create --project 5 --title Home --status done --assignee 12';
const home = { id: 55, title: 'Home', status: 20, project_id: 5, assignees: [12] };
const assigned = { id: 900, user_id: 12, task_id: 55 };

/** Viewers, projects, contracts, tasks. */
export const peopleAndWork: readonly Case[] = [
  { command: invite, before: list(), after: list(eve), become: 'done' },
  { command: invite, before: list(), after: list(), become: 'failed' },
  { command: invite, before: list(), after: list({ ...eve, lastname: 'Oka' }), become: 'unknown' },
  { command: invite, before: list(eve), after: list(eve), become: 'failed' },
  { command: 'viewers archive 31 --yes', after: one({ id: 31, status: 'left' }), become: 'done' },
  { command: 'viewers archive 31 --yes', after: one({ id: 31, status: 'active' }), become: 'failed' },
  { command: 'viewers archive 31 --yes', after: gone, become: 'done' },
  { command: 'viewers archive 31 --yes', after: blank, become: 'unknown' },
  { command: 'viewers restore 31', after: one({ id: 31, status: 'active' }), become: 'done' },
  { command: 'viewers restore 31', after: one({ id: 31, status: 'left' }), become: 'failed' },
  { command: 'viewers restore 31', after: gone, become: 'unknown' },
  { command: 'viewers assign 31 --project 5', after: one({ projects: [{ project_id: 5 }] }), become: 'done' },
  {
    command: 'viewers assign 31 --project 5',
    after: one({ projects: [{ project_id: 6 }] }),
    become: 'failed',
  },
  { command: 'viewers assign 31 --project 5', after: one({ id: 31 }), become: 'unknown' },
  { command: 'viewers unassign 31 --project 5', after: one({ id: 31 }), become: 'unknown' },
  { command: 'viewers unassign 31 --project 5', after: one({ projects: [] }), become: 'done' },
  {
    command: 'viewers unassign 31 --project 5',
    after: one({ projects: [{ project_id: 5 }] }),
    become: 'failed',
  },

  { command: project, before: list(), after: list(site), become: 'done' },
  { command: project, before: list(site), after: list(site), become: 'failed' },
  { command: project, before: list(site), after: list(site, { ...site, id: 6 }), become: 'done' },
  { command: project, before: list(), after: list({ ...site, deadline: '2027-01-01' }), become: 'unknown' },
  { command: 'projects update 5 --budget 500', after: one(site), become: 'done' },
  { command: 'projects update 5 --budget 501', after: one(site), become: 'failed' },
  { command: 'projects update 5 --budget 500', after: one({ id: 5, name: 'Site' }), become: 'unknown' },
  { command: 'projects update 5 --field colour=red', after: one(site), become: 'unknown' },
  { command: 'projects update 5 --field name=Pier', after: one(site), become: 'failed' },
  { command: 'projects archive 5 --yes', after: one({ ...site, deleted_at: '2026-11-20' }), become: 'done' },
  { command: 'projects archive 5 --yes', after: one({ ...site, deleted_at: null }), become: 'failed' },

  { command: 'projects archive 5 --yes', after: blank, become: 'unknown' },
  // Nothing is not 0.
  {
    command: 'projects update 5 --budget 0',
    after: one({ ...site, budget_estimation: '' }),
    become: 'failed',
  },
  {
    command: 'projects update 5 --budget 0',
    after: one({ ...site, budget_estimation: null }),
    become: 'failed',
  },
  {
    command: 'projects update 5 --budget 0',
    after: one({ ...site, budget_estimation: '0.00' }),
    become: 'done',
  },

  { command: contract, before: list(), after: list(row), become: 'done' },
  { command: contract, before: list(), after: list({ ...row, user_id: 13 }), become: 'failed' },
  { command: contract, before: list(row), after: list(row), become: 'failed' },
  {
    command: `${contract} --weekly-hours-limit 20`,
    before: list(),
    after: list({ ...row, weekly_hours_limit: 168 }),
    become: 'unknown',
  },
  { command: 'contracts update 40 --status paused', after: one({ status: 'paused' }), become: 'done' },
  { command: 'contracts update 40 --status paused', after: one({ status: 'active' }), become: 'failed' },
  { command: 'contracts update 40 --status paused', after: one({ id: 40 }), become: 'unknown' },
  { command: 'contracts archive 40 --yes', after: blank, become: 'unknown' },
  { command: 'contracts archive 40 --yes', after: gone, become: 'done' },
  { command: 'contracts archive 40 --yes', after: one(row), become: 'failed' },

  { command: task, before: list(), after: list(home), become: 'done' },
  { command: task, before: list(home), after: list(home), become: 'failed' },
  { command: task, before: list(home), after: list(home, { ...home, id: 56 }), become: 'done' },
  { command: task, before: list(), after: list({ ...home, status: 10 }), become: 'unknown' },
  { command: 'tasks update 55 --status done', after: gone, become: 'unknown' },
  { command: 'tasks update 55 --assignee 12', after: one({ ...home, assignees: 'Ana' }), become: 'unknown' },
  { command: 'tasks update 55 --status done', after: one(home), become: 'done' },
  { command: 'tasks update 55 --status open', after: one(home), become: 'failed' },
  {
    command: 'tasks update 55 --assignee 12',
    after: one({ ...home, assignees: [assigned] }),
    become: 'done',
  },
  // One more than was sent.
  {
    command: 'tasks update 55 --assignee 12',
    after: one({ ...home, assignees: [12, 13] }),
    become: 'failed',
  },
  { command: 'tasks update 55 --assignee 13', after: one(home), become: 'failed' },
  { command: 'tasks update 55 --assignee 12,13', after: one(home), become: 'failed' },
  { command: 'tasks archive 55 --yes', after: one({ ...home, deleted_at: '2026-11-20' }), become: 'done' },
  { command: 'tasks archive 55 --yes', after: one(home), become: 'failed' },
  { command: 'tasks archive 55 --yes', after: blank, become: 'unknown' },
  { command: 'tasks assign 55 --project 5 --member 12', after: gone, become: 'unknown' },
  { command: 'tasks assign 55 --project 5 --member 12', after: list(assigned), become: 'done' },
  { command: 'tasks assign 55 --project 5 --member 900', after: list(assigned), become: 'failed' },
  { command: 'tasks unassign 55 --project 5 --member 12', after: gone, become: 'unknown' },
  { command: 'tasks unassign 55 --project 5 --member 12', after: list(), become: 'done' },
  { command: 'tasks unassign 55 --project 5 --member 12', after: list(assigned), become: 'failed' },
];
