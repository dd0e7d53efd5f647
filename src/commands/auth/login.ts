import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { signIn } from './sign-in.ts';

export const authLogin = (door: Door) =>
  localCommand('login', 'sign in with a Personal Access Token', {
    examples: [
      'ttctl auth login --base-url https://api.example.com/api/v2 --token-stdin',
      'ttctl auth login --profile work --token-stdin --created 2026-11-02',
    ],
    newProfile: true,
  })
    .option('--token-stdin', 'read the token from stdin; on a terminal, ask for it without echo')
    .option('--base-url <url>', 'the version 2 root of the API')
    .option('--created <day>', 'day the token was made (today); it ends six months later')
    .action(run(door, (context, _targets, options) => signIn(context, options)));
