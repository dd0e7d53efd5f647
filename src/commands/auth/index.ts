import type { Group, Noun } from '../../cli/command.ts';
import { authCheck } from './check.ts';
import { authLogin } from './login.ts';
import { authLogout } from './logout.ts';
import { authRefresh } from './refresh.ts';
import { authStatus } from './status.ts';
import { authToken } from './token.ts';

export const auth = (noun: Noun): Group => ({
  ...noun,
  commands: [authLogin, authStatus, authCheck, authRefresh, authToken, authLogout],
});
