// Finds every statement of the service, by importing every file that declares one.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { declaredStatements, type Statement } from '../src/db/statement.ts'
import { packageRoot } from '../src/lib/package-root.ts'

export async function loadStatements(): Promise<Statement<unknown, unknown>[]> {
  const folder = join(packageRoot, 'src')
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, entry)
    if (!entry.endsWith('.ts') || entry.endsWith('.test.ts')) continue
    if (/= defineStatement\(/.test(readFileSync(file, 'utf8'))) await import(pathToFileURL(file).href)
  }
  // Tests declare statements too, and some may have run before in this worker. They also affect which files were
  // loaded first, so sort by name.
  return declaredStatements
    .filter(({ name }) => !/^(lie|tests?)\./.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
