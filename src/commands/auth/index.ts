import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { authCheck } from './check.ts';
import { authLogin } from './login.ts';
import { authLogout } from './logout.ts';
import { authRefresh } from './refresh.ts';
import { authStatus } from './status.ts';
import { authToken } from './token.ts';

export const auth = (group: Command, door: Door): Command =>
  group
    .addCommand(authLogin(door))
    .addCommand(authStatus(door))
    .addCommand(authCheck(door))
    .addCommand(authRefresh(door))
    .addCommand(authToken(door))
    .addCommand(authLogout(door));
