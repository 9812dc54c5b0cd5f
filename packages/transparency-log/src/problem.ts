// The only kind of error of this package.
/** Log data in the wrong format or inconsistent. The message is one sentence. */
export class LogProblem extends Error {}

export function ensure(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new LogProblem(sentence)
}
