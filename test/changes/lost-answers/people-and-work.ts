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
  { command: invite, before: list(), after: list(), become: 'not done' },
  { command: invite, before: list(), after: list({ ...eve, lastname: 'Oka' }), become: 'done' },
  { command: invite, before: gone, after: list(eve), become: 'unclear' },
  { command: invite, before: list(eve), after: list(eve), become: 'not done' },
  { command: 'viewers archive 31 --yes', after: one({ id: 31, status: 'left' }), become: 'done' },
  { command: 'viewers archive 31 --yes', after: one({ id: 31, status: 'active' }), become: 'not done' },
  { command: 'viewers archive 31 --yes', after: gone, become: 'done' },
  { command: 'viewers archive 31 --yes', after: blank, become: 'unclear' },
  { command: 'viewers restore 31', after: one({ id: 31, status: 'active' }), become: 'done' },
  { command: 'viewers restore 31', after: one({ id: 31, status: 'left' }), become: 'not done' },
  { command: 'viewers restore 31', after: gone, become: 'unclear' },
  { command: 'viewers assign 31 --project 5', after: one({ projects: [{ project_id: 5 }] }), become: 'done' },
  {
    command: 'viewers assign 31 --project 5',
    after: one({ projects: [{ project_id: 6 }] }),
    become: 'not done',
  },
  { command: 'viewers assign 31 --project 5', after: one({ id: 31 }), become: 'unclear' },
  { command: 'viewers unassign 31 --project 5', after: one({ id: 31 }), become: 'unclear' },
  { command: 'viewers unassign 31 --project 5', after: one({ projects: [] }), become: 'done' },
  {
    command: 'viewers unassign 31 --project 5',
    after: one({ projects: [{ project_id: 5 }] }),
    become: 'not done',
  },

  { command: project, before: list(), after: list(site), become: 'done' },
  { command: project, before: list(site), after: list(site), become: 'not done' },
  { command: project, before: list(site), after: list(site, { ...site, id: 6 }), become: 'done' },
  { command: project, before: list(), after: list({ ...site, deadline: '2027-01-01' }), become: 'unclear' },
  { command: 'projects update 5 --budget 500', after: one(site), become: 'done' },
  { command: 'projects update 5 --budget 501', after: one(site), become: 'not done' },
  { command: 'projects update 5 --budget 500', after: one({ id: 5, name: 'Site' }), become: 'unclear' },
  { command: 'projects update 5 --field colour=red', after: one(site), become: 'unclear' },
  { command: 'projects update 5 --field name=Pier', after: one(site), become: 'not done' },
  { command: 'projects archive 5 --yes', after: one({ ...site, deleted_at: '2026-11-20' }), become: 'done' },
  { command: 'projects archive 5 --yes', after: one({ ...site, deleted_at: null }), become: 'not done' },

  { command: 'projects archive 5 --yes', after: blank, become: 'unclear' },
  // Nothing is not 0.
  {
    command: 'projects update 5 --budget 0',
    after: one({ ...site, budget_estimation: '' }),
    become: 'not done',
  },
  {
    command: 'projects update 5 --budget 0',
    after: one({ ...site, budget_estimation: null }),
    become: 'not done',
  },
  {
    command: 'projects update 5 --budget 0',
    after: one({ ...site, budget_estimation: '0.00' }),
    become: 'done',
  },

  { command: contract, before: list(), after: list(row), become: 'done' },
  { command: contract, before: list(), after: list({ ...row, user_id: 13 }), become: 'not done' },
  { command: contract, before: list(row), after: list(row), become: 'not done' },
  {
    command: `${contract} --weekly-hours-limit 20`,
    before: list(),
    after: list({ ...row, weekly_hours_limit: 168 }),
    become: 'unclear',
  },
  { command: 'contracts update 40 --status paused', after: one({ status: 'paused' }), become: 'done' },
  { command: 'contracts update 40 --status paused', after: one({ status: 'active' }), become: 'not done' },
  { command: 'contracts update 40 --status paused', after: one({ id: 40 }), become: 'unclear' },
  { command: 'contracts archive 40 --yes', after: blank, become: 'unclear' },
  { command: 'contracts archive 40 --yes', after: gone, become: 'done' },
  { command: 'contracts archive 40 --yes', after: one(row), become: 'not done' },

  { command: task, before: list(), after: list(home), become: 'done' },
  { command: task, before: list(home), after: list(home), become: 'not done' },
  { command: task, before: list(home), after: list(home, { ...home, id: 56 }), become: 'done' },
  { command: task, before: list(), after: list({ ...home, status: 10 }), become: 'unclear' },
  { command: 'tasks update 55 --status done', after: gone, become: 'unclear' },
  { command: 'tasks update 55 --assignee 12', after: one({ ...home, assignees: 'Ana' }), become: 'unclear' },
  { command: 'tasks update 55 --status done', after: one(home), become: 'done' },
  { command: 'tasks update 55 --status open', after: one(home), become: 'not done' },
  {
    command: 'tasks update 55 --assignee 12',
    after: one({ ...home, assignees: [assigned] }),
    become: 'done',
  },
  // One more than was sent.
  {
    command: 'tasks update 55 --assignee 12',
    after: one({ ...home, assignees: [12, 13] }),
    become: 'not done',
  },
  { command: 'tasks update 55 --assignee 13', after: one(home), become: 'not done' },
  { command: 'tasks update 55 --assignee 12,13', after: one(home), become: 'not done' },
  { command: 'tasks archive 55 --yes', after: one({ ...home, deleted_at: '2026-11-20' }), become: 'done' },
  { command: 'tasks archive 55 --yes', after: one(home), become: 'not done' },
  { command: 'tasks archive 55 --yes', after: blank, become: 'unclear' },
  { command: 'tasks assign 55 --project 5 --member 12', after: gone, become: 'unclear' },
  { command: 'tasks assign 55 --project 5 --member 12', after: list(assigned), become: 'done' },
  { command: 'tasks assign 55 --project 5 --member 900', after: list(assigned), become: 'not done' },
  { command: 'tasks unassign 55 --project 5 --member 12', after: gone, become: 'unclear' },
  { command: 'tasks unassign 55 --project 5 --member 12', after: list(), become: 'done' },
  { command: 'tasks unassign 55 --project 5 --member 12', after: list(assigned), become: 'not done' },
];
