// Reads the documents of files and folders: YAML, one or several documents in a file. Whatever cannot be read is refused,
// because a document that was overlooked would count as removed.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { failUsage } from '../program/problem.ts'
import { parseAllDocuments } from '../values/yaml.ts'
import type { Fields, KindName } from './kinds.ts'

/** Where a document is in its file. */
export interface Place {
  file: string
  /** Counts from 1. */
  document: number
}

export interface RawDocument {
  place: Place
  content: unknown
}

/** A document that passed the check. */
export interface Document {
  place: Place
  kind: KindName
  name: string
  /** Every field as the API represents it. */
  desired: Fields
}

export interface DocumentProblem {
  place: Place
  /** `flow backend-ci`, as far as the document gives kind and name. */
  subject?: string
  /** Undefined if the problem concerns the whole document. */
  field?: string
  message: string
}

const isYaml = (name: string): boolean => /\.ya?ml$/.test(name)

/** The paths of the documents, below the working directory as the user wrote them. */
export function listFiles(paths: readonly string[], cwd: string): string[] {
  const files = paths.flatMap(path => {
    const stat = statSync(resolve(cwd, path), { throwIfNoEntry: false })
    if (stat === undefined) return failUsage(`--file: ${path} does not exist`)
    return stat.isDirectory() ? listFolder(path, cwd) : [path]
  })
  const absolute = files.map(file => resolve(cwd, file))
  return files.filter((_, index) => absolute.indexOf(absolute[index] ?? '') === index)
}

function listFolder(folder: string, cwd: string): string[] {
  const root = resolve(cwd, folder)
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const found = entries.flatMap(entry => {
    const path = relative(root, join(entry.parentPath, entry.name))
    const isHidden = path.split(/[\\/]/).some(part => part.startsWith('.'))
    if (isHidden) return []
    if (entry.isSymbolicLink())
      failUsage(`${join(folder, path)} is a link, and links are not followed`, 'Name the file with --file.')
    return entry.isFile() && isYaml(entry.name) ? [join(folder, path)] : []
  })
  return found.toSorted()
}

export function readDocuments(
  files: readonly string[],
  cwd: string,
): { documents: RawDocument[]; problems: DocumentProblem[] } {
  const documents: RawDocument[] = []
  const problems: DocumentProblem[] = []
  for (const file of files) {
    const parsed = parseFile(file, readText(resolve(cwd, file), file))
    documents.push(...parsed.documents)
    problems.push(...parsed.problems)
  }
  return { documents, problems }
}

function readText(path: string, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof TypeError) failUsage(`${file} is not UTF-8 text`)
    throw error
  }
}

export function parseFile(
  file: string,
  text: string,
): { documents: RawDocument[]; problems: DocumentProblem[] } {
  const documents: RawDocument[] = []
  const problems: DocumentProblem[] = []
  for (const [index, parsed] of [...parseAllDocuments(text)].entries()) {
    const place = { file, document: index + 1 }
    const wrong = [...parsed.errors, ...parsed.warnings][0]
    if (wrong !== undefined) {
      problems.push({ place, message: `is not valid YAML: ${wrong.message.split('\n', 1)[0]}` })
      continue
    }
    try {
      const content: unknown = parsed.toJS({ maxAliasCount: 100 })
      // Two separators may have nothing but a comment between them.
      if (content !== null) documents.push({ place, content })
    } catch (error) {
      problems.push({
        place,
        message: `is not valid YAML: ${error instanceof Error ? error.message : error}`,
      })
    }
  }
  return { documents, problems }
}

export const isMapping = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function formatProblem({ place, subject, field, message }: DocumentProblem): string {
  const which = subject === undefined ? '' : ` (${subject})`
  return `${place.file}, document ${place.document}${which}: ${field === undefined ? '' : `${field}: `}${message}`
}
