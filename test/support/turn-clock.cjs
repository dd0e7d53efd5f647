// Required by Node before a program: its clock is ahead of the machine's by CLOCK_AHEAD_MS.
const Real = Date;
const ahead = Number(process.env.CLOCK_AHEAD_MS);
globalThis.Date = class extends Real {
  constructor(...parts) {
    if (parts.length === 0) super(Real.now() + ahead);
    else super(...parts);
  }
  static now() {
    return Real.now() + ahead;
  }
};
