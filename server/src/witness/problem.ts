// The error of this folder.
/** Something that the person who runs the witness can fix. */
export class WitnessProblem extends Error {}
