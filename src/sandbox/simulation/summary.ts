/** How many of what a simulation did. */
export interface SimulationSummary {
  /** Times that a tracker was started. */
  trackers_started: number;
  trackers_stopped: number;
  tracked_minutes: number;
  timesheets_submitted: number;
  leaves_asked: number;
  time_requests_made: number;
  expenses_booked: number;
  /** What webhooks could hear of. */
  events: number;
}

export const createSimulationSummary = (): SimulationSummary => ({
  trackers_started: 0,
  trackers_stopped: 0,
  tracked_minutes: 0,
  timesheets_submitted: 0,
  leaves_asked: 0,
  time_requests_made: 0,
  expenses_booked: 0,
  events: 0,
});
