import {
  datetime,
  decisionStates,
  decisions,
  defineResource,
  integer,
  state,
  text,
  withDisplay,
} from './resource.ts';

export const timeRequest = defineResource({
  noun: 'time-requests',
  words: ['time request', 'time requests'],
  states: decisionStates,
  transitions: decisions,
  decisive: ['status', 'start', 'end'],
  fields: {
    id: text,
    user_id: integer,
    contract_id: withDisplay(integer, { title: 'contract' }),
    project_id: integer,
    task_id: withDisplay(integer, { title: 'task' }),
    start: datetime,
    end: datetime,
    status: state,
    notes: text,
    comment: text,
    updated_by: integer,
    created_at: withDisplay(datetime, { title: 'created' }),
    updated_at: withDisplay(datetime, { title: 'updated' }),
  },
});
