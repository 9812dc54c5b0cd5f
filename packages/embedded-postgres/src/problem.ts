// The error for what an operator can mend; every other error is a bug.

export class PostgresProblem extends Error {}
