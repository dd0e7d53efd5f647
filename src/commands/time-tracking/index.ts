import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { timeTrackingStop } from './stop.ts';

export const timeTracking = (group: Command, door: Door): Command => group.addCommand(timeTrackingStop(door));
