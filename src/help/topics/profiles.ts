import type { PROFILE_MEMBERS } from '../../config/profile.ts';
import { DEFAULT_PROFILE, SANDBOX_PROFILE } from '../../config/profile-choice.ts';
import { type Entry, type Page, prose, titled } from '../page.ts';

const MEANING: Readonly<Record<keyof typeof PROFILE_MEMBERS, string>> = {
  base_url: 'the version 2 root of the API, such as https://<host>/api/v2',
  auth_url: 'the authorization host, for signing in with a browser',
  token_url: 'the token host',
  client_id: 'client id of the OAuth2 application',
  redirect_uri: 'its redirect address, as registered',
  scope: 'scopes to sign in with: read,write',
  workspace: 'the workspace, by id or name',
  timezone: 'time zone of date words and periods; else that of the system',
  rate_limit: 'requests/seconds,writes/seconds, or off; see ttctl help limits',
  output: 'format where none is named; see ttctl help output',
  protected: "true: asks for the profile's name before a write",
  read_only: 'true: refuses every write',
};

export const profiles: Page = {
  lead: 'Settings for several services and workspaces, side by side.',
  sections: [
    prose(
      `A command uses the profile that --profile names, else TTCTL_PROFILE, else the one of ttctl profile use, else ${DEFAULT_PROFILE}.`,
      `The profile ${SANDBOX_PROFILE} is always there: the whole service within the command itself, with no account and no server. Nothing in it is real.`,
    ),
    titled('Settings of a profile', {
      entries: Object.entries(MEANING).map(([name, meaning]): Entry => [name, meaning]),
    }),
    prose(
      'They are in settings.json; tokens and client secrets are apart from them, in credentials.json, which only you can read. A flag or a variable wins over the profile for one run.',
    ),
    titled('Examples', {
      commands: [
        'ttctl auth login --profile work --base-url https://api.example.com/api/v2',
        'ttctl profile set --profile work --workspace 7 --timezone Europe/Lisbon',
        'ttctl profile set --profile payroll --read-only',
        'ttctl profile use work',
        'ttctl profile show',
        'ttctl members list --profile sandbox',
      ],
    }),
  ],
};
