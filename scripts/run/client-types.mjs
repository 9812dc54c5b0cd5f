// Writes client/schema.ts, the client's types, from the API document, but without the examples, which would make up
// most of the file as comments. The file is not committed. Does nothing if the same code made it from the same
// document.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { OPENAPI, root } from './build.mjs'

const TYPES = join(root, 'client', 'schema.ts')

const document = readFileSync(OPENAPI, 'utf8')
const stamp = `// ${createHash('sha256')
  .update(document)
  .update(readFileSync(import.meta.filename))
  .digest('hex')}\n`
if (!existsSync(TYPES) || !readFileSync(TYPES, 'utf8').startsWith(stamp)) {
  const ast = await openapiTS(JSON.stringify(omitExamples(JSON.parse(document))))
  writeFileSync(TYPES, stamp + COMMENT_HEADER + astToString(ast))
}

function omitExamples(value, isNamed = false) {
  if (Array.isArray(value)) return value.map(item => omitExamples(item))
  if (typeof value !== 'object' || value === null) return value
  // A property may be called `example` too; then the key is a name and not a keyword.
  const kept = Object.entries(value).filter(([key]) => isNamed || (key !== 'example' && key !== 'examples'))
  return Object.fromEntries(kept.map(([key, inner]) => [key, omitExamples(inner, key === 'properties')]))
}
