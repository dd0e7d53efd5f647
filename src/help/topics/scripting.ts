import { createProse, createSection, type HelpPage } from '../page.ts';

export const buildScriptingTopic: HelpPage = {
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
