import { type Page, prose, titled } from '../page.ts';

export const scripting: Page = {
  lead: 'Use ttctl in scripts, in CI and from other programs.',
  sections: [
    titled('Sign in', {
      text: 'Set TTCTL_TOKEN, TTCTL_BASE_URL and TTCTL_WORKSPACE: nothing is stored then. Secrets are never flag values. For a server that signs in by itself: ttctl auth login --client-credentials.',
    }),
    titled('Count on', {
      entries: [
        ['stdout', 'data and nothing else, in the format of --output; keys and meanings stay as they are'],
        ['stderr', 'notes and errors; with a JSON format the last line is the error as JSON'],
        ['exit code', 'what happened: ttctl help exit-codes'],
        [
          'no questions',
          'without a terminal, with CI set, or with --no-input: what would ask ends with exit 2',
        ],
        ['--yes', 'answers confirmations; it never picks a target'],
        ['--dry-run', 'checks everything that can be checked without a write'],
        ['--quiet', 'data and errors only'],
      ],
    }),
    titled(
      'Try it on the sandbox',
      {
        text: 'sandbox exec runs a script against a service of its own, with every TTCTL_ variable set, and ends with its exit code.',
      },
      {
        commands: ['ttctl sandbox exec --seed month-end -- sh ./approve-all.sh'],
      },
    ),
    titled('Know the commands', {
      entries: [
        ['ttctl schema', 'every command as JSON: flags, types, choices, scope, whether it writes'],
        ['ttctl schema members list --output-schema', 'the JSON Schema of what a command prints'],
        ['ttctl schema --openapi', 'the OpenAPI document of the service'],
      ],
    }),
    titled('Cron', {
      commands: [
        'ttctl auth check --min-days 14 --quiet || echo "sign in again"',
        'ttctl timesheets approve --all --period last-week --max-changes 200 --yes --json > results.json',
      ],
    }),
    prose(
      'What has no command of its own: ttctl api GET /reports/tracked-hours --param start_date=2026-11-01',
    ),
  ],
};
