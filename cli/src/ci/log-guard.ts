// Two CI systems take commands from the job log. A name that somebody else chose, such as a file or trail
// name, must not become a command: the program prints everything through this guard, except its own commands.
import { CI_SYSTEMS, type Environment } from './systems.ts'

/**
 * The GitHub runner reads `::` at the beginning of a line, and both systems read `##[` and `##vso[` anywhere.
 */
const AT_BEGINNING = /^([^\S\n]*:):/gm
const ANYWHERE = /##(?=\w*\[)/g

/** Matches any of these commands. */
export const COMMAND = /^[^\S\n]*::|##\w*\[|\r/m

/**
 * Decided by the variables alone: `WAYBILL_CI` can name another system, but the log still belongs to this
 * one.
 */
export function guardLog(env: Environment, write: (text: string) => void): (text: string) => void {
  const isRead = CI_SYSTEMS.some(({ reads_log, recognized_by }) => reads_log && env[recognized_by])
  return isRead ? text => write(disarm(text)) : write
}

/** Adds a visible space. A carriage return ends a line too. */
function disarm(text: string): string {
  return text
    .replaceAll(/\r(?!\n)/g, '\n')
    .replaceAll(AT_BEGINNING, '$1 :')
    .replaceAll(ANYWHERE, '# #')
}

/** Escapes two of the characters. They occur only inside JSON strings, so the data stays the same. */
export function disarmJson(json: string): string {
  return json.replaceAll(ANYWHERE, '#\\u0023')
}
