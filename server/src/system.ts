// What the program needs of its process, so that a test can run it in another one.

export interface System {
  /** Without the program itself. */
  argv: readonly string[]
  env: NodeJS.ProcessEnv
  readStdin(): string
  writeOut(text: string): void
  writeError(text: string): void
  /** For when the work is done. */
  setExitCode(code: number): void
  exit(code: number): void
  onSignal(signal: NodeJS.Signals, stop: () => void): void
}
