import type { Api } from '../../api/client.ts';
import { TIMESHEET_STATUSES } from '../../api/vocabulary.ts';
import { textOf } from '../../json/text.ts';
import { firstRow, type Proof, type Proofs, verdict } from './proof.ts';
import { contradiction, rejection } from './states.ts';

/** A list alone shows one. */
const timesheet = (api: Api, timesheetId: unknown) => {
  const id = textOf(timesheetId);
  return firstRow(api.timesheets.list({ id }), (row) => textOf(row.id) === id);
};

const isNow = (...states: readonly string[]): Proof => ({
  after: async (api, { timesheetId }) => {
    const sheet = await timesheet(api, timesheetId);
    return sheet === undefined ? 'unknown' : verdict(states.includes(textOf(sheet.status)));
  },
  contradicts: contradiction([...TIMESHEET_STATUSES, 'pending'], states),
});

const saved = rejection((api, { timesheetId }) => timesheet(api, timesheetId));

export const timesheetProofs: Proofs = {
  'timesheets.approve': isNow('approved'),
  'timesheets.reject': { ...isNow('rejected'), saved },
  'timesheets.submit': isNow('submitted'),
  'timesheets.unsubmit': isNow('open', 'pending'),
};
