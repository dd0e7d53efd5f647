import { DEFAULT_PROFILE, SANDBOX_PROFILE } from '../../config/settings.ts';
import type { PROFILE_MEMBERS } from '../../config/store.ts';
import { createProse, createSection, type HelpEntry, type HelpPage } from '../page.ts';

const MEANING: Readonly<Record<keyof typeof PROFILE_MEMBERS, string>> = {
  base_url: 'base URL of the API (version 2), such as https://<host>/api/v2',
  auth_url: 'authorization host, for signing in with a browser',
  token_url: 'token host',
  client_id: 'client id of the OAuth2 application',
  redirect_uri: 'registered redirect address',
  scope: 'scopes to sign in with: read,write',
  workspace: 'the workspace, by id or name',
  timezone: 'time zone of dates and periods (default: system)',
  rate_limit: 'requests/seconds,writes/seconds, or off; see ttctl help limits',
  settle: 'seconds to look for what a write did if its response was lost; see ttctl help limits',
  output: 'default output format; see ttctl help output',
  protected: 'true: asks for the name of the profile before a write',
  read_only: 'true: refuses every write',
};

export const buildProfilesTopic: HelpPage = {
  lead: 'Profiles for several services and workspaces.',
  sections: [
    createProse(
      `A command uses the profile from --profile, else TTCTL_PROFILE, else ttctl profile use, else ${DEFAULT_PROFILE}.`,
      `The profile ${SANDBOX_PROFILE} is built in: the whole service inside the command, with no account and no server. It holds practice data.`,
    ),
    createSection('Settings of a profile', {
      entries: Object.entries(MEANING).map(([name, meaning]): HelpEntry => [name, meaning]),
    }),
    createProse(
      'They are stored in settings.json; tokens and client secrets are in credentials.json, readable only by you. A flag or variable overrides the profile for one run.',
    ),
    createSection('Examples', {
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
