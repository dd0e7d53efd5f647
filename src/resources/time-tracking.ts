import { datetime } from './fields.ts';

export const stoppedFields = { stopped_at: datetime } as const;
