// Two CI systems take commands from the log of a job. A name that somebody else chose, such as that of a file or a trail, must
// not become one: everything that the program prints goes through here, except the commands that it means.
import { CI_SYSTEMS, type Environment } from './systems.ts'

/** The runner of GitHub reads `::` at the beginning of a line, and both read `##[` and `##vso[` anywhere. */
const AT_BEGINNING = /^([^\S\n]*:):/gm
const ANYWHERE = /##(?=\w*\[)/g

/** Either of them. */
export const COMMAND = /^[^\S\n]*::|##\w*\[|\r/m

/** By the variables alone: `WAYBILL_CI` can name another system, but the log stays what it is. */
export function guardLog(env: Environment, write: (text: string) => void): (text: string) => void {
  const isRead = CI_SYSTEMS.some(({ reads_log, recognized_by }) => reads_log && env[recognized_by])
  return isRead ? text => write(disarm(text)) : write
}

/** Adds a space, which people can see. A carriage return ends a line too. */
function disarm(text: string): string {
  return text
    .replaceAll(/\r(?!\n)/g, '\n')
    .replaceAll(AT_BEGINNING, '$1 :')
    .replaceAll(ANYWHERE, '# #')
}

/** The same data, without a command: two of these characters are always in a string. */
export function disarmJson(json: string): string {
  return json.replaceAll(ANYWHERE, '#\\u0023')
}
