// Generates the client's types from openapi.json, without the examples, which would be most of the file as comments.
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'

/** Returns the content of client/schema.ts. */
export async function buildClientTypes(document) {
  return COMMENT_HEADER + astToString(await openapiTS(JSON.stringify(omitExamples(document))))
}

function omitExamples(value, isNamed = false) {
  if (Array.isArray(value)) return value.map(item => omitExamples(item))
  if (typeof value !== 'object' || value === null) return value
  // A property may be called `example` too; then the key is a name and not a keyword.
  const kept = Object.entries(value).filter(([key]) => isNamed || (key !== 'example' && key !== 'examples'))
  return Object.fromEntries(kept.map(([key, inner]) => [key, omitExamples(inner, key === 'properties')]))
}
