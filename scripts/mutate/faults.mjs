// The list of faults for mutation tests: one YAML file per area in this folder. A fault is a plausible small mistake,
// its place in the code, and the tests that must catch it.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const FOLDER = dirname(fileURLToPath(import.meta.url))
const KEYS = ['id', 'why', 'file', 'find', 'replace', 'tests']

/** Every fault, in the order of the files and of the lines in them. */
export function readFaults() {
  return readdirSync(FOLDER)
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .flatMap(file => parse(readFileSync(join(FOLDER, file), 'utf8')).map(fault => checkFault(fault, file)))
}

function checkFault(fault, file) {
  const area = `${file.slice(0, -'.yaml'.length)}/`
  const name = fault.id ?? 'a fault'
  const missing = KEYS.filter(key => fault[key] === undefined)
  const unknown = Object.keys(fault).filter(key => !KEYS.includes(key))
  if (missing.length > 0) throw new Error(`${file}: ${name} has no ${missing.join(', ')}`)
  if (unknown.length > 0) throw new Error(`${file}: ${name} has an unknown key: ${unknown.join(', ')}`)
  if (!fault.id.startsWith(area)) throw new Error(`${file}: the id ${name} should begin with ${area}`)
  return fault
}

/** Returns the faults whose id contains one of the parts, or all faults without parts. */
export function pick(faults, parts) {
  return faults.filter(({ id }) => parts.length === 0 || parts.some(part => id.includes(part)))
}

/** Returns the text of the file with the fault. */
export function plant({ id, file, find, replace }, text) {
  const found = text.split(find).length - 1
  if (found === 1) return text.replace(find, () => replace)
  const times = found === 0 ? 'no longer' : `${found} times`
  throw new Error(`${id} no longer applies: its text occurs ${times} in ${file}. Update the fault.`)
}

/**
 * The verdict of a test run about a fault. Only a failed test counts: code that cannot be loaded or a broken setup
 * proves nothing about the tests.
 */
export function getVerdict(report) {
  const files = report?.testResults ?? []
  for (const { name, assertionResults } of files) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    if (failed) return { kind: 'caught', file: name, title: failed.fullName }
  }
  const broken = files.find(({ status }) => status === 'failed')
  if (broken) return { kind: 'broken', reason: broken.message.split('\n', 1)[0] || `${broken.name} failed` }
  if (report?.success !== true) return { kind: 'broken', reason: 'the run failed without a failed test' }
  return { kind: 'survived' }
}
