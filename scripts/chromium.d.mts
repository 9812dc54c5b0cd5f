export function findChromium(): Promise<string | undefined>
export function provideChromium(): Promise<void>
