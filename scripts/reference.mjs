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
export function referencePages(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  )
  const pages = document.tags.map(tag => {
    const own = operations.filter(({ tags }) => tags.includes(tag.name))
    return [fileOf(tag.name), tagPage(tag, own, document)]
  })
  return new Map([['README.md', indexPage(document, operations)], ...pages])
}

function indexPage(document, operations) {
  const sections = document.tags.map(tag => {
    const rows = operations
      .filter(({ tags }) => tags.includes(tag.name))
      .map(
        one =>
          `| [${one.summary}](${fileOf(tag.name)}#${anchor(one.summary)})${standing(one)} | \`${one.method} ${one.path}\` |`,
      )
    const head = `### [${tag.name}](${fileOf(tag.name)})\n\n${tag.description}.`
    return [head, table(['Operation', 'Address'], rows)].join('\n\n')
  })
  return text([
    NOTE,
    '# API reference',
    'Every operation of the service, by subject. The same as a machine reads it: `openapi.json`, which a running ' +
      'service has at `/api/v2/openapi.json` and shows at `/api/v2/doc/`. Addresses begin with `/api/v2`.',
    '## Conventions',
    document.info.description,
    '### Answers of every operation',
    'Each page lists what an operation answers besides these.',
    everywhereTable(operations),
    '## Operations',
    ...sections,
  ])
}

function everywhereTable(operations) {
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
  return table(['Status', 'When', 'For example'], rows)
}

function tagPage(tag, operations, document) {
  const { schemas } = document.components
  const contents = operations.map(one => `- [${one.summary}](#${anchor(one.summary)})${standing(one)}`)
  const shapes = shapesOf(operations, schemas)
  return text([
    NOTE,
    `# ${tag.name}`,
    `${tag.description}.`,
    contents.join('\n'),
    ...operations.flatMap(one => operationSection(one, schemas)),
    ...(shapes.length > 0 ? ['## Shapes', ...shapes.flatMap(name => shapeSection(name, schemas[name]))] : []),
    '[All operations](README.md)',
  ])
}

function operationSection(one, schemas) {
  const parameters = one.parameters.map(
    ({ name, in: place, required, description, schema }) =>
      `| \`${name}\` | ${place}${required ? '' : ', optional'} | ${typeOf(schema)} | ${cell(description)} |`,
  )
  return [
    `## ${one.summary}`,
    `\`${one.method} ${one.path}\` · ${whoMayCall(one)}${standing(one)}`,
    // Who may call it stands above.
    one.description.replace(/ Needs the role \w+( or above)?\./, ''),
    ...(parameters.length > 0 ? [table(['Parameter', 'In', 'Type', 'Meaning'], parameters)] : []),
    ...bodySection(one.requestBody, schemas),
    answersTable(one),
    curlOf(one),
    ...answerExample(one),
  ]
}

function whoMayCall(one) {
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

function standing(one) {
  return `${one['x-beta'] ? ' · **beta**' : ''}${one.deprecated ? ' · **deprecated**' : ''}`
}

function bodySection(body, schemas) {
  if (!body) return []
  const { schema } = body.content['application/json']
  const resolved = schema.$ref ? schemas[nameOf(schema.$ref)] : schema
  const form = body.content['multipart/form-data']?.schema
  const parts = form
    ? Object.entries(form.properties).map(
        ([name, part]) =>
          `| \`${name}\` | ${part.format === 'binary' ? 'a file, optional' : 'JSON'} | ${cell(part.description)} |`,
      )
    : []
  return [
    '**Body**',
    ...(resolved.properties ? [fieldsTable(resolved)] : [typeOf(schema)]),
    ...(form ? ['Or as `multipart/form-data`:', table(['Part', 'Type', 'Meaning'], parts)] : []),
  ]
}

function fieldsTable(schema) {
  const rows = Object.entries(schema.properties).map(([name, property]) => {
    const required = schema.required?.includes(name) ? '' : ', optional'
    return `| \`${name}\` | ${typeOf(property)}${required} | ${cell(property.description)} |`
  })
  return table(['Field', 'Type', 'Meaning'], rows)
}

function answersTable({ responses }) {
  const rows = Object.entries(responses)
    .filter(([status]) => !EVERYWHERE.has(status))
    .map(([status, answer]) => {
      const [[type, media]] = Object.entries(answer.content)
      const body = Number(status) < 300 ? bodyType(type, media.schema) : `\`${media.example.message}\``
      return `| ${status} | ${cell(answer.description)} | ${body} |`
    })
  return `**Answers**\n\n${table(['Status', 'When', 'Body'], rows)}`
}

function bodyType(type, schema) {
  return type === 'application/json' ? typeOf(schema) : `a file (\`${type}\`)`
}

function curlOf(one) {
  const values = new Map(one.parameters.map(({ name, in: place, example }) => [`${place} ${name}`, example]))
  const path = one.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURI(String(values.get(`path ${name}`))))
  const required = one.parameters.filter(({ in: place, required }) => place === 'query' && required)
  const query = new URLSearchParams(required.map(({ name, example }) => [name, String(example)])).toString()
  const body = one.requestBody?.content['application/json'].example
  const lines = [
    `curl${one.method === 'GET' ? '' : ` -X ${one.method}`} "$WAYBILL_URL/api/v2${path}${query === '' ? '' : `?${query}`}"`,
    ...(one.security.length > 0 ? ['-H "Authorization: Bearer $WAYBILL_KEY"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${quoted(body)}'`]),
  ]
  return fenced('sh', lines.join(' \\\n  '))
}

/** For a shell: a quote inside single quotes ends them, is written, and begins them again. */
function quoted(body) {
  return JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
}

function answerExample({ responses }) {
  const [type, media] = Object.entries((responses[201] ?? responses[200]).content)[0]
  return type === 'application/json' ? [fenced('json', JSON.stringify(media.example, null, 2))] : []
}

/** The components that the operations lead to, except those whose fields their bodies show already. */
function shapesOf(operations, schemas) {
  const found = new Set()
  const look = value => {
    if (typeof value !== 'object' || value === null) return
    if (typeof value.$ref === 'string' && value.$ref.includes('/schemas/')) {
      const name = nameOf(value.$ref)
      if (found.has(name) || name === 'Error') return
      found.add(name)
      look(schemas[name])
    } else for (const inner of Object.values(value)) look(inner)
  }
  for (const { parameters, requestBody, responses } of operations) {
    look(parameters)
    const body = requestBody?.content['application/json'].schema
    look(body?.$ref && schemas[nameOf(body.$ref)].properties ? schemas[nameOf(body.$ref)] : body)
    for (const [status, { content }] of Object.entries(responses)) if (Number(status) < 300) look(content)
  }
  return [...found].filter(name => name !== 'Binary' && name !== 'Ok').sort()
}

function shapeSection(name, schema) {
  const says = schema.description ? [`${schema.description}.`.replace(/\.\.$/, '.')] : []
  const fields = schema.properties ? [fieldsTable(schema)] : [`It is ${typeOf(schema)}.`]
  return [`### ${name}`, ...says, ...fields]
}

function typeOf(schema) {
  if (schema.$ref) {
    const name = nameOf(schema.$ref)
    if (name === 'Ok') return '`"OK"`'
    return name === 'Binary' ? 'a file' : `[${name}](#${anchor(name)})`
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ')
  if (schema.maxLength === 0) return 'empty'
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map(value => `\`${value}\``).join(', ')
  const types = [schema.type].flat().filter(type => type !== undefined)
  const named = types
    .map(type => (type === 'array' ? `list of ${typeOf(schema.items ?? {})}` : type))
    .join(' or ')
  if (types.length === 0) return 'any JSON'
  return schema.additionalProperties && typeof schema.additionalProperties === 'object' && !schema.properties
    ? `${named} of ${typeOf(schema.additionalProperties)} by key`
    : `${named}${bounds(schema)}`
}

function bounds({ minimum, maximum, maxLength, maxItems }) {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`
  if (maxLength !== undefined) return `, at most ${maxLength} characters`
  return maxItems !== undefined ? `, at most ${maxItems}` : ''
}

const nameOf = $ref => $ref.split('/').at(-1)
const fileOf = tag => `${anchor(tag)}.md`
/** As the pages of a forge make them from headings. */
const anchor = heading =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
const cell = (words = '') => words.replaceAll('|', '\\|').replaceAll('\n', ' ')
const table = (heads, rows) =>
  [`| ${heads.join(' | ')} |`, `|${heads.map(() => '---').join('|')}|`, ...rows].join('\n')
const fenced = (language, content) => `\`\`\`${language}\n${content}\n\`\`\``
const text = parts => `${parts.join('\n\n')}\n`

function write() {
  const pages = referencePages(JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')))
  mkdirSync(FOLDER, { recursive: true })
  for (const file of readdirSync(FOLDER)) if (!pages.has(file)) rmSync(join(FOLDER, file))
  for (const [file, content] of pages) writeFileSync(join(FOLDER, file), content)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) write()
