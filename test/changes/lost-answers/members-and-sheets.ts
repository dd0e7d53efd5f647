import { blank, type Case, gone, list, one, type Shown } from './case.ts';

const ana = {
  id: 17,
  firstname: 'Ana',
  current_role: 'Regular User',
  weekly_hours_limit: 32,
  avatar: 'a.png',
  deleted_at: null,
};
const left = { ...ana, deleted_at: '2026-11-20T09:00:00Z' };
const update = 'members update 17';
const invite = 'members invite eve@x.example --firstname Eve --lastname Okafor --role regular-user';
const eve = { id: 18, email: 'EVE@x.example', current_role: 'Regular User' };
const viewer = { ...eve, current_role: 'Project viewer' };

const sheet = (status: string): Shown => ({
  '/timesheets': list({ id: 'other', status: 'approved' }, { id: 't1', status }),
});
const none: Shown = { '/timesheets': list({ id: 'other', status: 'approved' }) };
const reject = 'timesheets reject t1 --reason late --yes';

/** Members, timesheets. */
export const membersAndSheets: readonly Case[] = [
  { command: invite, before: list(), after: list(eve), become: 'done' },
  { command: invite, before: list(viewer), after: list(eve), become: 'done' },
  { command: invite, before: list(), after: list(), become: 'not done' },
  { command: invite, before: list(), after: list(viewer), become: 'not done' },
  // Somebody who was a member before may have been invited again.
  { command: invite, before: list(eve), after: list(eve), become: 'unclear' },

  { command: `${update} --weekly-hours-limit 32`, after: one(ana), become: 'done' },
  { command: `${update} --weekly-hours-limit 31`, after: one(ana), become: 'not done' },
  { command: `${update} --weekly-hours-limit 32`, after: one({ id: 17 }), become: 'unclear' },
  { command: `${update} --weekly-hours-limit 32`, after: blank, become: 'unclear' },
  { command: `${update} --weekly-hours-limit 32`, after: gone, become: 'unclear' },
  { command: `${update} --role team-manager`, after: one(ana), become: 'not done' },
  { command: `${update} --role regular-user`, after: one(ana), become: 'done' },
  { command: `${update} --remove-avatar`, after: one(ana), become: 'not done' },
  { command: `${update} --remove-avatar`, after: one({ ...ana, avatar: null }), become: 'done' },

  { command: 'members archive 17 --yes', after: one(left), become: 'done' },
  { command: 'members archive 17 --yes', after: one(ana), become: 'not done' },
  { command: 'members archive 17 --yes', after: blank, become: 'unclear' },
  { command: 'members archive 17 --yes', after: gone, become: 'unclear' },
  { command: 'members restore 17', after: one(ana), become: 'done' },
  { command: 'members restore 17', after: one(left), become: 'not done' },
  { command: 'members restore 17', after: blank, become: 'unclear' },
  { command: 'members restore 17', after: gone, become: 'unclear' },

  { command: 'timesheets approve t1 --yes', after: sheet('approved'), become: 'done' },
  { command: 'timesheets approve t1 --yes', after: sheet('submitted'), become: 'not done' },
  { command: 'timesheets approve t1 --yes', after: none, become: 'unclear' },
  { command: reject, after: sheet('rejected'), become: 'done' },
  { command: reject, after: sheet('submitted'), become: 'not done' },
  { command: reject, after: sheet('approved'), become: 'not done' },
  { command: reject, after: none, become: 'unclear' },
  { command: 'timesheets submit t1', after: sheet('submitted'), become: 'done' },
  { command: 'timesheets submit t1', after: sheet('open'), become: 'not done' },
  // Newer services say `pending` for `open`.
  { command: 'timesheets submit t1', after: sheet('pending'), become: 'not done' },
  { command: 'timesheets submit t1', after: none, become: 'unclear' },
  { command: 'timesheets unsubmit t1', after: sheet('open'), become: 'done' },
  { command: 'timesheets unsubmit t1', after: sheet('pending'), become: 'done' },
  { command: 'timesheets unsubmit t1', after: sheet('submitted'), become: 'not done' },
  { command: 'timesheets unsubmit t1', after: none, become: 'unclear' },
];
