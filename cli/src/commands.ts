// All client commands, for docs and tests. The program itself loads only the group that it needs
// (catalogue.ts).
import { commands as attest } from './groups/attest.ts'
import { commands as judge } from './groups/judge.ts'
import { commands as program } from './groups/program.ts'
import { commands as report } from './groups/report.ts'
import { commands as resources } from './groups/resources.ts'
import { commands as verify } from './groups/verify.ts'
import { commands as version } from './groups/version.ts'
import type { Command } from './program/command.ts'

export const COMMAND_GROUPS: Readonly<Record<string, readonly Command[]>> = {
  attest,
  report,
  judge,
  resources,
  program,
  verify,
  version,
}

export const commands: readonly Command[] = Object.values(COMMAND_GROUPS).flat()
