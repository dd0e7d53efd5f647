import type { Group, Noun } from '../../cli/command.ts';
import { planApply } from './apply.ts';
import { planCheck } from './check.ts';
import { planShow } from './show.ts';

export const plan = (noun: Noun): Group => ({
  ...noun,
  commands: [planShow, planCheck, planApply],
});
