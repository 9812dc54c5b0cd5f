// The error of this folder.
/** A problem that the person who runs the witness can fix. */
export class WitnessProblem extends Error {}
