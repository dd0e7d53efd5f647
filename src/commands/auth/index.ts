import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { authCheck } from './check.ts';
import { authLogin } from './login.ts';
import { authLogout } from './logout.ts';
import { authRefresh } from './refresh.ts';
import { authStatus } from './status.ts';
import { authToken } from './token.ts';

export const auth = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    login: authLogin,
    status: authStatus,
    check: authCheck,
    refresh: authRefresh,
    token: authToken,
    logout: authLogout,
  });
