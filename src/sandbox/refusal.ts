export interface RefusalDetails {
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The field that is wrong, for the 422 dialect's `errors`. */
  readonly field?: string;
  /** `error` of the envelope. */
  readonly detail?: string;
}

/** The answer is an error envelope with this status. Handlers throw it before they change anything. */
export class Refusal extends Error {
  readonly status: number;
  readonly facts: RefusalDetails;

  constructor(status: number, message: string, facts: RefusalDetails = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.facts = facts;
  }
}

/** A field that is missing or wrong: 400 (in one dialect 422). */
export const invalid = (field: string, message: string): Refusal => new Refusal(400, message, { field });

/** A record that is not in the state that the operation needs: 400 (assumed: docs/service.md, Errors). */
export const wrongState = (message: string): Refusal => new Refusal(400, message);

/** No record with this id in this workspace. */
export const notFound = (kind: string, id: string): Refusal =>
  new Refusal(404, `No ${kind} ${id} in this workspace.`);
