// Finds the JUnit files in a folder. Results that nobody can read are refused, and what is skipped is named: otherwise a
// folder with one passing file would hide the failures beside it.
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EvidenceFile } from '@waybill/evidence-files'
import type { Context } from '../../program/context.ts'
import { failUsage } from '../../program/problem.ts'

type Reader = typeof import('@waybill/evidence-files')

const RESULT_FILE = /\.(?:xml|xml\.gz|xml\.zst|trx)$/i
const LOOKS_LIKE_TESTS = /<(?:testsuites?|test-run|assemblies|TestRun|testng-results)[\s>]/
const START_BYTES = 64 * 1024
const MAX_NAMED = 10

interface Skipped {
  path: string
  reason: string
}

interface Chosen {
  files: EvidenceFile[]
  skipped: Skipped[]
}

/** A folder's files by their names; a file is taken whatever its name. */
export function listResultFiles(path: string, { system }: Context): string[] {
  const full = resolve(system.cwd, path)
  const found = statSync(full, { throwIfNoEntry: false })
  if (found?.isFile()) return [path]
  if (!found?.isDirectory()) failUsage(`--results-dir: ${path} is not a folder`)
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter(({ name }) => RESULT_FILE.test(name))
    .map(entry => join(path, join(entry.parentPath, entry.name).slice(full.length + 1)))
    .filter(name => statSync(resolve(system.cwd, name), { throwIfNoEntry: false })?.isFile())
    .sort()
}

export function chooseTestResults(
  reader: Reader,
  paths: readonly string[],
  open: (path: string) => EvidenceFile,
): Chosen {
  const chosen: Chosen = { files: [], skipped: [] }
  for (const path of paths) {
    const file = open(path)
    const { kind, other, problem } = reader.recognizeFile(file)
    const is_unreadable = problem !== undefined && LOOKS_LIKE_TESTS.test(readStart(file))
    if (kind === 'junit' || is_unreadable) chosen.files.push(file)
    else if (other?.has_tests) {
      throw new reader.EvidenceProblem(
        path,
        undefined,
        `expected JUnit XML, found ${other.name}. ${other.advice}`,
      )
    } else chosen.skipped.push({ path, reason: kind ?? other?.name ?? 'no test results' })
  }
  return chosen
}

const readStart = (file: EvidenceFile): string =>
  Buffer.from(file.content.subarray(0, START_BYTES)).toString('latin1')

export function describeSkipped(skipped: readonly Skipped[]): string {
  const named = skipped.slice(0, MAX_NAMED).map(({ path, reason }) => `${path} (${reason})`)
  const more = skipped.length > MAX_NAMED ? ` and ${skipped.length - MAX_NAMED} more` : ''
  return `Skipped, because they have no test results: ${named.join(', ')}${more}`
}
