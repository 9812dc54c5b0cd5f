export function startTestRun(): string
