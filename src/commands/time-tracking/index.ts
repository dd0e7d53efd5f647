import type { Group, Noun } from '../../cli/command.ts';
import { timeTrackingStop } from './stop.ts';

export const timeTracking = (noun: Noun): Group => ({
  ...noun,
  commands: [timeTrackingStop],
});
