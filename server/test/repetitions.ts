// How often a test repeats random work. Each run draws new values, so the default adds up over many runs;
// `npm run test:thorough` uses the larger number.
export function chooseRepetitions(usual: number, thorough: number): number {
  return process.env.TEST_THOROUGH === '1' ? thorough : usual
}
