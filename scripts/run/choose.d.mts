export function listCommands(
  script: string,
  folder: string,
): { name: string; purpose: string; file: string }[]
