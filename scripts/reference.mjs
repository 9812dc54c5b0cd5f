// The reference pages, made from openapi.json: one for each tag and an index. `npm run openapi` writes them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './prepare.mjs'

const FOLDER = join(root, 'docs', 'reference')
const NOTE = '<!-- Made from openapi.json by scripts/reference.mjs; do not edit. -->'
/** What every operation can answer is told once, in the index. */
const EVERYWHERE = new Set(['401', '413', '415', '429', '503'])

/** File name to text, of every page. A pure function of the document. */
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
        one =>
          `| [${one.summary}](${toFileName(tag.name)}#${toAnchor(one.summary)})${renderLifecycle(one)} | \`${one.method} ${one.path}\` |`,
      )
    const head = `### [${tag.name}](${toFileName(tag.name)})\n\n${tag.description}.`
    return [head, renderTable(['Operation', 'Address'], rows)].join('\n\n')
  })
  return joinParts([
    NOTE,
    '# API reference',
    'Every operation of the service, by subject. The same as a machine reads it: `openapi.json`, which a running ' +
      'service has at `/api/v2/openapi.json` and shows at `/api/v2/doc/`. Addresses begin with `/api/v2`.',
    '## Conventions',
    document.info.description,
    '### Answers of every operation',
    'Each page lists what an operation answers besides these.',
    renderCommonAnswers(operations),
    '## Operations',
    ...sections,
  ])
}

function renderCommonAnswers(operations) {
  const found = new Map()
  for (const { responses } of operations) {
    for (const [status, answer] of Object.entries(responses)) {
      if (EVERYWHERE.has(status) && !found.has(status)) found.set(status, answer)
    }
  }
  const rows = [...found]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, answer]) => {
      const meaning = status === '413' ? 'The body is larger than allowed' : answer.description
      return `| ${status} | ${meaning} | \`${answer.content['application/json'].example.message}\` |`
    })
  return renderTable(['Status', 'When', 'For example'], rows)
}

function renderTagPage(tag, operations, document) {
  const { schemas } = document.components
  const contents = operations.map(
    one => `- [${one.summary}](#${toAnchor(one.summary)})${renderLifecycle(one)}`,
  )
  const shapes = listShapes(operations, schemas)
  return joinParts([
    NOTE,
    `# ${tag.name}`,
    `${tag.description}.`,
    contents.join('\n'),
    ...operations.flatMap(one => renderOperation(one, schemas)),
    ...(shapes.length > 0 ? ['## Shapes', ...shapes.flatMap(name => renderShape(name, schemas[name]))] : []),
    '[All operations](README.md)',
  ])
}

function renderOperation(one, schemas) {
  const parameters = one.parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `| \`${name}\` | ${place}${required ? '' : ', optional'} | ${describeType(schema)} | ${escapeCell(description)} |`,
  )
  return [
    `## ${one.summary}`,
    `\`${one.method} ${one.path}\` · ${describeAccess(one)}${renderLifecycle(one)}`,
    // Who may call it stands above.
    one.description.replace(/ Needs the role \w+( or above)?\./, ''),
    ...(parameters.length > 0 ? [renderTable(['Parameter', 'In', 'Type', 'Meaning'], parameters)] : []),
    ...renderBody(one.requestBody, schemas),
    renderAnswers(one),
    renderCurl(one),
    ...renderAnswerExample(one),
  ]
}

function describeAccess(one) {
  const open = one.security.some(way => Object.keys(way).length === 0)
    ? ', or anybody where the organization is open'
    : ''
  switch (one['x-access']) {
    case 'public':
      return 'anybody'
    case 'caller':
      return 'any valid credential'
    case 'user':
      return 'a person'
    default:
      return one['x-access'] === 'admin' ? 'role admin' : `role ${one['x-access']} or above${open}`
  }
}

function renderLifecycle(one) {
  return `${one['x-beta'] ? ' · **beta**' : ''}${one.deprecated ? ' · **deprecated**' : ''}`
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

function renderAnswers({ responses }) {
  const rows = Object.entries(responses)
    .filter(([status]) => !EVERYWHERE.has(status))
    .map(([status, answer]) => {
      const [[type, media]] = Object.entries(answer.content)
      const body = Number(status) < 300 ? describeBody(type, media.schema) : `\`${media.example.message}\``
      return `| ${status} | ${escapeCell(answer.description)} | ${body} |`
    })
  return `**Answers**\n\n${renderTable(['Status', 'When', 'Body'], rows)}`
}

function describeBody(type, schema) {
  return type === 'application/json' ? describeType(schema) : `a file (\`${type}\`)`
}

function renderCurl(one) {
  const values = new Map(one.parameters.map(({ name, in: place, example }) => [`${place} ${name}`, example]))
  const path = one.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURI(String(values.get(`path ${name}`))))
  const required = one.parameters.filter(({ in: place, required }) => place === 'query' && required)
  const query = new URLSearchParams(required.map(({ name, example }) => [name, String(example)])).toString()
  const body = one.requestBody?.content['application/json'].example
  const lines = [
    `curl${one.method === 'GET' ? '' : ` -X ${one.method}`} "$WAYBILL_URL/api/v2${path}${query === '' ? '' : `?${query}`}"`,
    ...(one.security.length > 0 ? ['-H "Authorization: Bearer $WAYBILL_KEY"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${quoteForShell(body)}'`]),
  ]
  return renderFence('sh', lines.join(' \\\n  '))
}

/** For a shell: a quote inside single quotes ends them, is written, and begins them again. */
function quoteForShell(body) {
  return JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
}

function renderAnswerExample({ responses }) {
  const [type, media] = Object.entries((responses[201] ?? responses[200]).content)[0]
  return type === 'application/json' ? [renderFence('json', JSON.stringify(media.example, null, 2))] : []
}

/** The components that the operations lead to, except those whose fields their bodies show already. */
function listShapes(operations, schemas) {
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

function renderShape(name, schema) {
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
/** As the pages of a forge make them from headings. */
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
