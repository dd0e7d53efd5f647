import { type Answer, shown } from '../answer.ts';
import { type Route, stampOf, type UserCall } from '../call.ts';
import { trackerData } from '../events.ts';
import { wrongState } from '../refusal.ts';
import { find } from '../state.ts';

/** The tracker of the authenticated user, whatever the workspace. */
const stop = (call: UserCall): Answer => {
  const tracker = find(call.world.trackers, call.user.id);
  if (tracker === undefined) throw wrongState('There is no active tracker.');
  delete call.world.trackers[call.user.id];
  const stopped = stampOf(call);
  const space = find(call.world.spaces, tracker.workspace_id);
  if (space !== undefined) {
    call.emit('tracker.stopped', space, trackerData(tracker, stopped));
  }
  return shown({ stopped_at: stopped }, 'The tracker has been stopped.');
};

export const routes: readonly Route[] = [
  {
    route: 'POST /time-tracking/stop',
    of: 'user',
    handle: stop,
    documented: ['no body, no workspace_id', 'data.stopped_at', 'rejected with no active tracker'],
    beyond: ['state-400', 'event-emitted'],
  },
];
