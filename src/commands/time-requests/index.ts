import type { Group, Noun } from '../../cli/command.ts';
import { timeRequestsApprove } from './approve.ts';
import { timeRequestsCreate } from './create.ts';
import { timeRequestsGet } from './get.ts';
import { timeRequestsList } from './list.ts';
import { timeRequestsReject } from './reject.ts';

export const timeRequests = (noun: Noun): Group => ({
  ...noun,
  commands: [timeRequestsList, timeRequestsGet, timeRequestsCreate, timeRequestsApprove, timeRequestsReject],
});
