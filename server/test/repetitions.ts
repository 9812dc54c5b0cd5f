// How often a test repeats what is left to chance. Each run draws anew, so the usual number adds up over many runs;
// `npm run test:thorough` takes the larger one at once.
export function repetitions(usual: number, thorough: number): number {
  return process.env.TEST_THOROUGH === '1' ? thorough : usual
}
