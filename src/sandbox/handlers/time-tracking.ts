import { answerData, type HandlerAnswer } from '../answer.ts';
import { formatCallTime, type Route, type UserCall } from '../call.ts';
import { toTrackerData } from '../events.ts';
import { wrongState } from '../refusal.ts';
import { findRecord } from '../state.ts';

/** The tracker of the authenticated user, whatever the workspace. */
const stop = (call: UserCall): HandlerAnswer => {
  const tracker = findRecord(call.world.trackers, call.user.id);
  if (tracker === undefined) throw wrongState('There is no active tracker.');
  delete call.world.trackers[call.user.id];
  const stoppedAt = formatCallTime(call);
  const workspace = findRecord(call.world.spaces, tracker.workspace_id);
  if (workspace !== undefined) {
    call.emit(workspace, toTrackerData(tracker, stoppedAt));
  }
  return answerData({ stopped_at: stoppedAt }, 'The tracker has been stopped.');
};

export const routes: readonly Route[] = [
  {
    route: 'POST /time-tracking/stop',
    of: 'user',
    handle: stop,
    events: ['tracker.stopped'],
  },
];
