import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { authLogin } from './login.ts';
import { authLogout } from './logout.ts';
import { authStatus } from './status.ts';

export const auth = (group: Command, door: Door): Command =>
  group.addCommand(authLogin(door)).addCommand(authStatus(door)).addCommand(authLogout(door));
