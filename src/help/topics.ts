import { RESULT_FIELDS } from '../commands/outputs.ts';
import { ERROR_CODES, EXIT_MEANING } from '../errors.ts';
import { FORMATS, type Format } from '../output/formats/formats.ts';
import { PERIODS } from '../parsing/calendar.ts';
import { createProse, createSection, type HelpEntry, type HelpPage } from './page.ts';
import type { TopicName } from './root-page.ts';
import { environmentPage, limitsPage, profilesPage } from './setup-topics.ts';

/** The topics of help. */

const bulkPage: HelpPage = {
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

const datesPage: HelpPage = {
  lead: 'Dates, times and periods.',
  sections: [
    createSection('Days', {
      entries: [
        ['2026-11-20', 'a calendar date'],
        ['today, yesterday, tomorrow', 'in the time zone'],
        ['-7d, +2d', 'days ago, or ahead'],
      ],
    }),
    createProse('Use an equals sign for a value that starts with a dash: --date-from=-7d'),
    createSection('Times', {
      entries: [
        ['2026-11-20T09:00', 'wall-clock time in the time zone'],
        ['2026-11-20T09:00+01:00', 'with an explicit offset'],
      ],
    }),
    createSection('Periods (--period)', {
      text: `${PERIODS}. The first and last day are included. Weeks start on Monday.`,
    }),
    createSection('Time zone', {
      text: 'From --timezone, else the profile, else the system: an IANA name such as Europe/Berlin.',
    }),
    createSection('Examples', {
      commands: [
        'ttctl timesheets list --period last-month',
        'ttctl leaves list --period next-month',
        'ttctl leaves list --date-from today --date-to +30d --timezone Europe/Lisbon',
      ],
    }),
  ],
};

const errorsPage: HelpPage = {
  lead: 'The codes of errors.',
  sections: [
    createProse(
      'With a JSON format, an error has one of these codes, and so has the error of a result. A code keeps its meaning; new ones may be added, so treat an unknown code by its exit code (ttctl help exit-codes).',
    ),
    createSection('Codes', { entries: Object.entries(ERROR_CODES) }),
  ],
};

const exitCodesPage: HelpPage = {
  lead: 'Exit codes and error output.',
  sections: [
    createSection('Exit codes', {
      entries: Object.entries(EXIT_MEANING).map(([code, meaning]): HelpEntry => [code, meaning]),
    }),
    createProse(
      'A bulk run exits with 0 when every target is done, with the code of the failure when all targets failed alike or there was only one, and with 8 otherwise. The result of each target is always on stdout.',
      'ttctl sandbox exec exits with the code of the command that it ran: like a shell, with 127 if the command was not found and with 126 if it could not be run.',
    ),
    createSection('Errors', {
      text: 'The error is the last output on stderr: what happened, why, and after "hint:" what to do. With a JSON format it is one JSON object on one line, with a stable code (ttctl help errors), exit, message and hint, and for an error of the service also status and request. For an internal error of ttctl it names a report in the state directory, without secrets, to attach to a bug report.',
    }),
    createSection('In a script', {
      commands: [
        'ttctl timesheets approve --all --period last-week --yes --json > results.json || test $? -eq 8',
        'ttctl jobs list --limit 1',
      ],
    }),
  ],
};

const outputPage: HelpPage = {
  lead: 'Output formats, columns, conditions, sorting and queries.',
  sections: [
    createProse(
      'Data goes to stdout; notes, progress, prompts and errors go to stderr. With a JSON format there are no notes, and an error is one JSON object on the last line of stderr.',
    ),
    createSection('Formats (--output, --json)', {
      entries: FORMATS.map(({ name, about }): HelpEntry => [name, about]),
    }),
    createProse(`${joinFormatNames(({ streams }) => streams)} stream: rows are printed as pages arrive.`),
    createSection('Choosing', {
      entries: [
        [
          '--columns <a,b>',
          'fields to print, in order, by their API names; total.days selects a nested field, member.email one of a joined record',
        ],
        [
          '--columns <+a,-b>',
          'the default columns of the list, with one more and without another, in every format',
        ],
        ['--columns', 'lists the columns there are'],
        ['--where <condition>', 'only rows for which it is true; with --all, only those records'],
        ['--sort <field[:desc]>', 'sorts a list; prints nothing until all rows are read'],
        ['--group-by <field>', 'counts rows per value of a field; --sum totals another field'],
        ['--limit <n>', 'prints the first rows; with --sort or --group-by, after reading all of them'],
        [
          '--page <n>',
          'prints one page; a note on stderr says that the list is incomplete, except with a JSON format',
        ],
        [
          '--query <expression>',
          'filters the JSON with a JMESPath expression; implies JSON unless a format is given; selects no targets: for --all there is --where',
        ],
        [
          '--no-header',
          `omits the heading of ${joinFormatNames(({ shape }) => shape === 'screen' || shape === 'cells')}`,
        ],
      ],
    }),
    createProse(
      'A note on stderr says when --limit or --page leaves rows out, a warning when the service sent fewer rows than it counts.',
    ),
    createSection('Conditions (--where)', {
      text: 'A JMESPath expression on one record: put numbers in backquotes and text in single quotes. Besides the fields of the record, it can use member (id, email, name, role, weekly_hours_limit), project (id, name) and policy (id, name), where the record has one; for timesheets, leaves and time requests warnings, the codes of the inbox; and record, the record as it was sent. A record is never selected because data is missing: if a condition compares null with <, >, <= or >=, or compares two different types, it is undecided; the row is left out, and a warning says how many were. == null works as usual.',
    }),
    createSection('Fields', {
      text: `Any field of the records can be used, documented or not. If no field has that name, the heading of a table column selects its field: hours is total_hours of a timesheet; the output uses the name of the field. An unknown name ends with exit code 2 before anything is printed; to find out, rows are held back until one has the field. For an empty list this cannot be checked. ${joinFormatNames(({ shape, forPeople }) => shape === 'cells' && !forPeople)} start with the documented fields, in that order, even for an empty list.`,
    }),
    createSection('Ids', {
      text: 'In a terminal, a table shortens long ids to a prefix that is unique on the page; --columns id, a pipe and every other format print them in full. Such a prefix is also accepted as a target. If it matches several ids, they are listed and nothing is done.',
    }),
    createSection('Results', {
      text: `A write prints one result per target, in the given order: ${RESULT_FIELDS.join(', ')}. The status is done, unchanged (the record already has the values that the write would set, so nothing was sent), failed, unknown (the response was lost, and the records do not show the outcome), skipped, or planned (in a dry run, with the request that would be sent, and the fields that would change before and after). The label says which record it is. A dry run of approve or reject with several targets, or --all, has the codes of the inbox in warnings and their words in warning_messages; null means that they could not be determined. A write that the service accepts is done; if its response shows another value than was sent, the result has the warning differs. Only rates are checked, which the service drops for people who may not view them: the result is then failed, with the code not_saved.`,
    }),
    createSection('Empty lists', {
      text: 'An empty list is not an error: [] in JSON, a note on stderr in a table.',
    }),
    createSection('Long output', {
      text: 'ttctl does not use a pager. In a terminal, long lists show their progress. To read a wide table: ttctl members list | less -S',
    }),
    createSection('Examples', {
      commands: [
        'ttctl members list --columns id,email,current_role --output csv',
        "ttctl members list --where 'weekly_hours_limit > `40`'",
        'ttctl timesheets list --columns +member.email,-status --output csv',
        'ttctl members list --where "status == \'left\'" --query "[].email"',
        'ttctl timesheets list --status submitted --output ids',
      ],
    }),
    createProse('For the fields of the output of a command: ttctl schema members list --query prints'),
  ],
};

/** `csv, tsv and ids`: the formats of which this is true. */
function joinFormatNames(holds: (format: Format) => boolean): string {
  const names = FORMATS.filter(holds).map(({ name }) => name);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const scriptingPage: HelpPage = {
  lead: 'Using ttctl in scripts and CI.',
  sections: [
    createSection('Sign in', {
      text: 'Set TTCTL_TOKEN, TTCTL_BASE_URL and TTCTL_WORKSPACE; nothing is stored. Secrets are never passed as flags. For a server that signs in as an application: ttctl auth login --client-credentials.',
    }),
    createSection('Stable output', {
      entries: [
        ['stdout', 'only data, in the format of --output; keys and their meaning do not change'],
        ['stderr', 'notes and errors; with a JSON format, the last line is the error as JSON'],
        ['exit code', 'see ttctl help exit-codes'],
        [
          'no prompts',
          'without a terminal, with CI set, or with --no-input, a prompt becomes an error with exit code 2',
        ],
        ['--if-missing', 'creates a record only if there is none like it, so that a script can run again'],
        ['--yes', 'skips confirmation prompts; never selects a target'],
        ['--dry-run', 'checks everything that can be checked without writing'],
        ['--quiet', 'print data and errors only'],
      ],
    }),
    createSection(
      'The workspace in a repository',
      { text: 'Projects, people, contracts, tasks and webhooks as CSV files that CI compares and applies.' },
      {
        commands: [
          'ttctl workspaces export workspace',
          'ttctl workspaces diff workspace',
          'ttctl workspaces apply workspace --yes --max-changes 50',
        ],
      },
    ),
    createSection(
      'Test with the sandbox',
      {
        text: 'sandbox exec runs a script against a temporary sandbox, with every TTCTL_ variable set, and exits with its code.',
      },
      {
        commands: ['ttctl sandbox exec --seed month-end -- sh ./approve-all.sh'],
      },
    ),
    createSection('Log', {
      text: '--log <file>, or TTCTL_LOG, appends every request, response, decision and result to a file, one JSON line each, without bodies, headers and secrets; - is stderr. Each request is sent with an X-Request-Id, which is request_id in the log. If lines cannot be written, the command still completes, reports this at the end, and exits with 1 unless it failed for another reason: do not run it again just for the log.',
    }),
    createSection('Explore the commands', {
      entries: [
        ['ttctl schema', 'every command as JSON: flags, types, choices, output, scopes, whether it writes'],
        ['ttctl schema members list --query prints', 'the fields of the output of a command'],
      ],
    }),
    createSection('Cron', {
      commands: [
        'ttctl auth check --min-days 14 --quiet || echo "sign in again"',
        'ttctl timesheets approve --all --period last-week --clean --max-changes 200 --yes --json > results.json',
        'ttctl close check --period last-month --quiet || echo "not ready to be closed"',
      ],
    }),
    createProse('For calls without a command: ttctl api "/reports/tracked-hours?start_date=2026-11-01"'),
  ],
};

export const TOPIC_PAGES: Readonly<Record<TopicName, HelpPage>> = {
  bulk: bulkPage,
  dates: datesPage,
  environment: environmentPage,
  errors: errorsPage,
  'exit-codes': exitCodesPage,
  limits: limitsPage,
  output: outputPage,
  profiles: profilesPage,
  scripting: scriptingPage,
};
