import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { timeTrackingStop } from './stop.ts';

export const timeTracking = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    stop: timeTrackingStop,
  });
