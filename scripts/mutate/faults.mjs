// The kept list of faults: one YAML file for each area in this folder. A fault is a small mistake that somebody could
// make, the place to make it, and the tests that must notice it.
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

/** Those whose id contains one of the parts; all of them when no part is given. */
export function pick(faults, parts) {
  return faults.filter(({ id }) => parts.length === 0 || parts.some(part => id.includes(part)))
}

/** The text of the file with the fault in it. */
export function plant({ id, file, find, replace }, text) {
  const found = text.split(find).length - 1
  if (found === 1) return text.replace(find, () => replace)
  const times = found === 0 ? 'is not there any more' : `is there ${found} times`
  throw new Error(`${id} no longer applies: what it looks for in ${file} ${times}. Update the fault.`)
}

/**
 * What a run of the named tests says about a fault. Only a test that failed counts: code that cannot be loaded, or a
 * setup that breaks, proves nothing about the tests.
 */
export function getVerdict(report) {
  const files = report?.testResults ?? []
  for (const { name, assertionResults } of files) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    if (failed) return { kind: 'caught', file: name, title: failed.fullName }
  }
  const broken = files.find(({ status }) => status === 'failed')
  if (broken) return { kind: 'broken', reason: broken.message.split('\n', 1)[0] || `${broken.name} failed` }
  if (report?.success !== true) return { kind: 'broken', reason: 'the run failed and no test did' }
  return { kind: 'survived' }
}
