// Generates the reference pages from openapi.json: one per tag and an index. `npm run openapi` writes them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './prepare.mjs'

const FOLDER = join(root, 'docs', 'reference')
const NOTE = '<!-- Generated from openapi.json by scripts/reference.mjs; do not edit. -->'
/** Responses that every operation can return are documented once, in the index. */
const COMMON_STATUSES = new Set(['401', '413', '415', '429', '503'])

/** Maps the file name of every page to its text. A pure function of the document. */
export function buildPages(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  )
  const pages = document.tags.map(tag => {
    const own = operations.filter(({ tags }) => tags.includes(tag.name))
    return [toFileName(tag.name), renderTagPage(tag, own, document)]
  })
  return new Map([['README.md', renderIndex(document, operations)], ...pages])
}

function renderIndex(document, operations) {
  const sections = document.tags.map(tag => {
    const rows = operations
      .filter(({ tags }) => tags.includes(tag.name))
      .map(
        operation =>
          `| [${operation.summary}](${toFileName(tag.name)}#${toAnchor(operation.summary)})${renderLifecycle(operation)} | \`${operation.method} ${operation.path}\` |`,
      )
    const head = `### [${tag.name}](${toFileName(tag.name)})\n\n${tag.description}.`
    return [head, renderTable(['Operation', 'Path'], rows)].join('\n\n')
  })
  return joinParts([
    NOTE,
    '# API reference',
    'All operations of the service by subject. The machine-readable version is `openapi.json`, which a running ' +
      'service also serves at `/api/v2/openapi.json` and displays at `/api/v2/doc/`. Paths are relative to `/api/v2`.',
    '## Conventions',
    document.info.description,
    '### Common responses',
    'Every operation can return these. The pages list the other responses of each operation.',
    renderCommonResponses(operations),
    '## Operations',
    ...sections,
  ])
}

function renderCommonResponses(operations) {
  const found = new Map()
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (COMMON_STATUSES.has(status) && !found.has(status)) found.set(status, response)
    }
  }
  const rows = [...found]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, response]) => {
      const meaning = status === '413' ? 'The body is larger than allowed' : response.description
      return `| ${status} | ${meaning} | \`${response.content['application/json'].example.message}\` |`
    })
  return renderTable(['Status', 'When', 'For example'], rows)
}

function renderTagPage(tag, operations, document) {
  const { schemas } = document.components
  const contents = operations.map(
    operation => `- [${operation.summary}](#${toAnchor(operation.summary)})${renderLifecycle(operation)}`,
  )
  const schemaNames = listSchemas(operations, schemas)
  return joinParts([
    NOTE,
    `# ${tag.name}`,
    `${tag.description}.`,
    contents.join('\n'),
    ...operations.flatMap(operation => renderOperation(operation, schemas)),
    ...(schemaNames.length > 0
      ? ['## Schemas', ...schemaNames.flatMap(name => renderSchema(name, schemas[name]))]
      : []),
    '[All operations](README.md)',
  ])
}

function renderOperation(operation, schemas) {
  const parameters = operation.parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `| \`${name}\` | ${place}${required ? '' : ', optional'} | ${describeType(schema)} | ${escapeCell(description)} |`,
  )
  return [
    `## ${operation.summary}`,
    `\`${operation.method} ${operation.path}\` · ${describeAccess(operation)}${renderLifecycle(operation)}`,
    // The line above already says who may call it.
    operation.description.replace(/ Needs the role \w+( or above)?\./, ''),
    ...(parameters.length > 0 ? [renderTable(['Parameter', 'In', 'Type', 'Meaning'], parameters)] : []),
    ...renderBody(operation.requestBody, schemas),
    renderResponses(operation),
    renderCurl(operation),
    ...renderResponseExample(operation),
  ]
}

function describeAccess(operation) {
  const open = operation.security.some(way => Object.keys(way).length === 0)
    ? ', or anyone if the organization allows public access'
    : ''
  switch (operation['x-access']) {
    case 'public':
      return 'anyone'
    case 'caller':
      return 'any valid credential'
    case 'user':
      return 'a person'
    default:
      return operation['x-access'] === 'admin'
        ? 'role admin'
        : `role ${operation['x-access']} or above${open}`
  }
}

function renderLifecycle(operation) {
  return `${operation['x-beta'] ? ' · **beta**' : ''}${operation.deprecated ? ' · **deprecated**' : ''}`
}

function renderBody(body, schemas) {
  if (!body) return []
  const { schema } = body.content['application/json']
  const resolved = schema.$ref ? schemas[getRefName(schema.$ref)] : schema
  const form = body.content['multipart/form-data']?.schema
  const parts = form
    ? Object.entries(form.properties).map(
        ([name, part]) =>
          `| \`${name}\` | ${part.format === 'binary' ? 'a file, optional' : 'JSON'} | ${escapeCell(part.description)} |`,
      )
    : []
  return [
    '**Body**',
    ...(resolved.properties ? [renderFields(resolved)] : [describeType(schema)]),
    ...(form ? ['Or as `multipart/form-data`:', renderTable(['Part', 'Type', 'Meaning'], parts)] : []),
  ]
}

function renderFields(schema) {
  const rows = Object.entries(schema.properties).map(([name, property]) => {
    const required = schema.required?.includes(name) ? '' : ', optional'
    return `| \`${name}\` | ${describeType(property)}${required} | ${escapeCell(property.description)} |`
  })
  return renderTable(['Field', 'Type', 'Meaning'], rows)
}

function renderResponses({ responses }) {
  const rows = Object.entries(responses)
    .filter(([status]) => !COMMON_STATUSES.has(status))
    .map(([status, response]) => {
      const [[type, media]] = Object.entries(response.content)
      const body = Number(status) < 300 ? describeBody(type, media.schema) : `\`${media.example.message}\``
      return `| ${status} | ${escapeCell(response.description)} | ${body} |`
    })
  return `**Responses**\n\n${renderTable(['Status', 'When', 'Body'], rows)}`
}

function describeBody(type, schema) {
  return type === 'application/json' ? describeType(schema) : `a file (\`${type}\`)`
}

function renderCurl(operation) {
  const values = new Map(
    operation.parameters.map(({ name, in: place, example }) => [`${place} ${name}`, example]),
  )
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURI(String(values.get(`path ${name}`))),
  )
  const required = operation.parameters.filter(({ in: place, required }) => place === 'query' && required)
  const query = new URLSearchParams(required.map(({ name, example }) => [name, String(example)])).toString()
  const body = operation.requestBody?.content['application/json'].example
  const lines = [
    `curl${operation.method === 'GET' ? '' : ` -X ${operation.method}`} "$WAYBILL_URL/api/v2${path}${query === '' ? '' : `?${query}`}"`,
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $WAYBILL_KEY"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${quoteForShell(body)}'`]),
  ]
  return renderFence('sh', lines.join(' \\\n  '))
}

/** For a shell: a quote inside single quotes must close them, be escaped, and open them again. */
function quoteForShell(body) {
  return JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
}

function renderResponseExample({ responses }) {
  const [type, media] = Object.entries((responses[201] ?? responses[200]).content)[0]
  return type === 'application/json' ? [renderFence('json', JSON.stringify(media.example, null, 2))] : []
}

/** The components that the operations refer to, except request bodies, whose fields are already shown. */
function listSchemas(operations, schemas) {
  const found = new Set()
  const visit = value => {
    if (typeof value !== 'object' || value === null) return
    if (typeof value.$ref === 'string' && value.$ref.includes('/schemas/')) {
      const name = getRefName(value.$ref)
      if (found.has(name) || name === 'Error') return
      found.add(name)
      visit(schemas[name])
    } else for (const inner of Object.values(value)) visit(inner)
  }
  for (const { parameters, requestBody, responses } of operations) {
    visit(parameters)
    const body = requestBody?.content['application/json'].schema
    visit(body?.$ref && schemas[getRefName(body.$ref)].properties ? schemas[getRefName(body.$ref)] : body)
    for (const [status, { content }] of Object.entries(responses)) if (Number(status) < 300) visit(content)
  }
  return [...found].filter(name => name !== 'Binary' && name !== 'Ok').sort()
}

function renderSchema(name, schema) {
  const intro = schema.description ? [`${schema.description}.`.replace(/\.\.$/, '.')] : []
  const fields = schema.properties ? [renderFields(schema)] : [`It is ${describeType(schema)}.`]
  return [`### ${name}`, ...intro, ...fields]
}

function describeType(schema) {
  if (schema.$ref) {
    const name = getRefName(schema.$ref)
    if (name === 'Ok') return '`"OK"`'
    return name === 'Binary' ? 'a file' : `[${name}](#${toAnchor(name)})`
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(describeType))].join(' or ')
  if (schema.maxLength === 0) return 'empty'
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map(value => `\`${value}\``).join(', ')
  const types = [schema.type].flat().filter(type => type !== undefined)
  const named = types
    .map(type => (type === 'array' ? `list of ${describeType(schema.items ?? {})}` : type))
    .join(' or ')
  if (types.length === 0) return 'any JSON'
  return schema.additionalProperties && typeof schema.additionalProperties === 'object' && !schema.properties
    ? `${named} of ${describeType(schema.additionalProperties)} by key`
    : `${named}${describeBounds(schema)}`
}

function describeBounds({ minimum, maximum, maxLength, maxItems }) {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`
  if (maxLength !== undefined) return `, at most ${maxLength} characters`
  return maxItems !== undefined ? `, at most ${maxItems}` : ''
}

const getRefName = $ref => $ref.split('/').at(-1)
const toFileName = tag => `${toAnchor(tag)}.md`
/** The anchors that Git hosting sites generate from headings. */
const toAnchor = heading =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
const escapeCell = (words = '') => words.replaceAll('|', '\\|').replaceAll('\n', ' ')
const renderTable = (heads, rows) =>
  [`| ${heads.join(' | ')} |`, `|${heads.map(() => '---').join('|')}|`, ...rows].join('\n')
const renderFence = (language, content) => `\`\`\`${language}\n${content}\n\`\`\``
const joinParts = parts => `${parts.join('\n\n')}\n`

function writePages() {
  const pages = buildPages(JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')))
  mkdirSync(FOLDER, { recursive: true })
  for (const file of readdirSync(FOLDER)) if (!pages.has(file)) rmSync(join(FOLDER, file))
  for (const [file, content] of pages) writeFileSync(join(FOLDER, file), content)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writePages()
