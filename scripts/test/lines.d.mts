export function getLine(version: string): string
export function readArguments(
  versions: readonly string[],
  args: readonly string[],
): { problem: string } | { problem?: undefined; picked: string[]; for_vitest: string[] }
