import { defineCommand } from '../../cli/command.ts';

export const authToken = defineCommand({
  path: 'auth token',
  about: 'print the access token, renewed first if it is about to expire',
  examples: ['ttctl auth token', 'ttctl auth token --profile work --output json'],
  prints: { shape: 'record', fields: ['profile', 'access_token'] },
  exits: [3, 7],
  run: async ({ settings, output, accessToken }) => {
    const token = await accessToken();
    if (settings.output.value.shape === 'screen') return output.text(token);
    await output.record({ profile: settings.profile.value, access_token: token });
  },
});
