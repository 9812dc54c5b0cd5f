// The one kind of error of this package.
/** Data of a log that does not have the promised form or does not fit together. The message is one sentence. */
export class LogProblem extends Error {}

export function ensure(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new LogProblem(sentence)
}
