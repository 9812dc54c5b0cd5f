export interface Way {
  /** Printed after "No Chromium yet:". */
  doing: string
  isPossible(): boolean
  get(): Promise<void> | void
}
export const NO_CHROMIUM: string
export function findChromium(): Promise<string | undefined>
export function provideChromium(options?: {
  find?: () => Promise<string | undefined>
  ways?: Way[]
  say?: (line: string) => void
}): Promise<string>
