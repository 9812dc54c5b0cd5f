export const root: string
export function prepare(): Promise<void>
export function build(): Promise<void>
