import { allOperations } from '../../src/api/operations.ts';
import { RESOURCES } from '../../src/resources/resources.ts';

/** A command line for each write, without `ttctl`; `ID` is the first of the list. `before` makes its record fit for it. */
export const WRITES: readonly (readonly [line: string, list?: string, before?: string])[] = [
  ['members update 108 --role team-manager --weekly-hours-limit 32 --timezone Europe/Lisbon'],
  ['members archive 108'],
  ['members restore 108', undefined, 'members archive 108 --yes'],
  ['members invite new@n.example --firstname New --lastname N --role regular-user'],
  ['viewers archive 112'],
  ['viewers restore 112', undefined, 'viewers archive 112 --yes'],
  ['viewers invite new@n.example --firstname New --lastname N'],
  ['viewers assign 113 --project 114'],
  ['viewers unassign 112 --project 114'],
  ['projects create --name Ours --budget 12.50'],
  ['projects update 114 --deadline 2090-03-01 --budget 31000.50 --name Later'],
  ['projects archive 116'],
  ['contracts create --project 114 --member 104 --weekly-hours-limit 8'],
  ['contracts update 120 --weekly-hours-limit 20 --status paused --screenshots blurred'],
  ['contracts archive 120'],
  ['tasks create --project 114 --title Ours --priority urgent'],
  ['tasks update 132 --project 114 --status done --priority urgent --title Later'],
  ['tasks archive 132 --project 114'],
  ['tasks assign 133 --project 114 --member 108'],
  ['tasks unassign 132 --project 114 --member 108'],
  ['timesheets approve ID', 'timesheets list --status submitted'],
  ['timesheets reject ID --reason Friday', 'timesheets list --status submitted'],
  ['timesheets submit ID', 'timesheets list --status open'],
  ['timesheets unsubmit ID', 'timesheets list --status submitted'],
  ['leaves approve ID', 'leaves list --status pending'],
  ['leaves reject ID --reason Busy', 'leaves list --status pending'],
  ['time-requests approve ID', 'time-requests list --status pending'],
  ['time-requests reject ID --comment Why', 'time-requests list --status pending'],
  ['expenses create --name Taxi --date 2026-11-03 --amount 12.5 --category Travel'],
  [
    'expenses update ID --name Ferry --date 2026-11-02 --amount 9.90 --category Travel --project 114 --billable',
    'expenses list',
  ],
  ['expenses delete ID', 'expenses list'],
  ['webhooks create --url https://h.example/a --event tracker.started'],
  ['webhooks update ID --url https://h.example/x --event tracker.stopped', 'webhooks list'],
  ['webhooks delete ID', 'webhooks list'],
  [
    'time-requests create --member 106 --contract 120 --start 2026-11-20T09:00+01:00 --end 2026-11-20T12:30+01:00',
  ],
  ['time-tracking stop'],
  [`projects update 114 --field 'extra:={"a":[1.50,null,"é"]}' --field notes=Raw`],
  ['members update 108 --timezone Asia/Tokyo --field weekly_hours_limit:=12.0'],
];

/** Writes about no record that can be named: nobody can tell what became of them. */
const ACTS: string[] = [];
for (const { id } of allOperations) {
  const [noun = '', name = ''] = id.split('.');
  const verb = (await RESOURCES[noun]?.())?.verbs[name];
  if (verb !== undefined && !('path' in verb) && verb.does === 'act') ACTS.push(id);
}
export const SHOWN_NOWHERE: ReadonlySet<string> = new Set(ACTS);

/** What takes no targets, and so no rows. */
export const WITHOUT_TARGET: readonly string[] = ACTS.map((id) => id.replace('.', ' '));
