import { createProse, createSection, type HelpPage } from '../page.ts';

export const buildBulkTopic: HelpPage = {
  lead: 'Work on many records at once, safely.',
  sections: [
    createSection('Which records', {
      entries: [
        [
          '<id> <id> ...',
          'one or more ids; people also by e-mail address or full name, a timesheet or request also by its member, if exactly one that the filters match is eligible',
        ],
        ['-', 'one per line on stdin'],
        ['--from-file <file>', 'one per row of a CSV, JSON or NDJSON file; - is stdin'],
        [
          '--all',
          'every eligible record that the filters match (approve, reject, submit, unsubmit, archive)',
        ],
        ['--where <condition>', 'with --all, only records for which it is true (ttctl help output)'],
        ['--except <id>', "with --all, leaves out a record, or a member's records; can be repeated"],
        [
          '--clean',
          'with --all, only timesheets, leaves and time requests that the inbox does not warn about; what cannot be checked is not clean',
        ],
      ],
    }),
    createSection('Files', {
      text: 'Columns are named like the long flags (weekly_hours_limit or weekly-hours-limit); id, or email for people, identifies the record. A flag applies to rows that leave its column empty. --template prints the heading of such a file. Every row is checked before the first request, and every mistake is reported with its line.',
    }),
    createSection('Edit a list', {
      text: 'What list --output csv prints can be edited and fed back to update --from-file (members, projects, contracts, tasks, expenses, webhooks). Only cells that differ from the record are sent. With --base, the file before it was edited, only your edits are sent, and a cell that somebody else changed too is a conflict. --map names columns of other files, --ignore-columns ignores unknown ones, and --skip-missing skips rows whose record does not exist.',
    }),
    createSection('Before anything is sent', {
      entries: [
        ['--dry-run', 'shows what would change, old and new values, without changing anything'],
        ['--dry-run --exit-code', 'exits with 10 if anything would change'],
        ['--plan <file>', 'saves the changes for ttctl plan show, check and apply'],
        [
          '--max-changes <n>',
          'fails if more than <n> records would change; archive --all needs it without a filter',
        ],
        ['--yes', 'skips the confirmation prompt; required without a terminal'],
      ],
    }),
    createSection(
      'Jobs',
      {
        text: 'A run over more than one record is a job. Its journal records each row before and after its request, so that a crash loses nothing and repeats nothing. When the response to a write is lost, ttctl checks the record instead of sending the write again. Failed rows are written to a file with an error column, to be corrected and retried.',
      },
      {
        commands: ['ttctl jobs list', 'ttctl jobs show <job>', 'ttctl jobs resume <job>', 'ttctl undo <job>'],
      },
    ),
    createProse(
      'In a terminal, jobs resume shows what is left and asks for confirmation. Without one it continues: the run was confirmed when it started.',
    ),
    createProse('With --no-history no job is kept, and the run can be neither resumed nor undone.'),
    createSection('Examples', {
      commands: [
        'ttctl timesheets approve --all --period last-week --clean --dry-run',
        'ttctl timesheets list --status submitted --output ids | ttctl timesheets approve - --yes',
        'ttctl members invite --template > people.csv',
        'ttctl members invite --from-file people.csv --role regular-user',
        'ttctl projects archive --all --name kiosk --dry-run',
        'ttctl timesheets approve --all --period last-week --plan plan.ndjson',
        'ttctl plan show plan.ndjson',
      ],
    }),
    createProse(
      'See also: ttctl inbox decide --help (decisions by rules), ttctl help limits (speed), ttctl help exit-codes (results).',
    ),
  ],
};
