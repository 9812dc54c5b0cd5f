// An OSCAL catalog (version 1, JSON) → the controls of a catalogue, or what is wrong where. Only what becomes part of a
// control is looked at; everything else a catalog may hold is passed over.
import {
  type CatalogueControl,
  FIELD_PROBLEMS,
  isWebAddress,
  lengthOf,
  MAX_CONTROL_DESCRIPTION,
  MAX_CONTROL_LINKS,
  MAX_CONTROL_NAME,
  MAX_CONTROLS,
  MAX_LINK_ADDRESS,
  MAX_LINK_LABEL,
  type ParsedCatalogue,
  TAG_PAIRS,
  type Tags,
} from './catalogue.ts'
import { OSCAL_NAMESPACE, pairFrom, singleLine, unescaped } from './oscal.ts'
import { type Parameter, type Part, statementText } from './oscal-prose.ts'
import {
  type Fields,
  fieldsOf,
  listOf,
  newOscalReader,
  type OscalReader,
  refuse,
  textOf,
} from './oscal-reader.ts'

const GROUP_TAG = 'oscal_group'
const LABEL_TAG = 'oscal_label'
const WITHDRAWN = 'withdrawn'
/** All descriptions together: parameters that are inserted again and again could make far more than was sent. */
const MAX_TEXT = 16 * 1024 * 1024

interface Document {
  parameters: Map<string, Parameter>
  /** Of the back matter: uuid → where it is found, and what it is called. */
  resources: Map<string, Reference>
  /** Identifier → path. */
  used: Map<string, string>
  controls: CatalogueControl[]
  text_length: number
}

interface Reference {
  address: string
  label: string
}

interface Property {
  name: string
  ns: string | undefined
  class: string | undefined
  value: string
}

export function parseOscalCatalogue(json: unknown): ParsedCatalogue {
  const reader = newOscalReader()
  const catalog = fieldsOf(reader, fieldsOf(reader, json, '')?.catalog, 'catalog')
  if (catalog) {
    readMetadata(reader, catalog)
    const resources = readResources(reader, catalog)
    const document: Document = {
      parameters: new Map(),
      resources,
      used: new Map(),
      controls: [],
      text_length: 0,
    }
    collectParameters(reader, catalog, 'catalog', document)
    readContent(reader, catalog, 'catalog', undefined, document)
    if (reader.errors.size === 0) {
      return { ok: true, catalogue: { controls: document.controls, has_all_tags: false } }
    }
  }
  return { ok: false, errors: Object.fromEntries(reader.errors) }
}

function readMetadata(reader: OscalReader, catalog: Fields): void {
  const metadata = fieldsOf(reader, catalog.metadata, 'catalog.metadata')
  if (!metadata) return
  if (
    textOf(reader, metadata.title, 'catalog.metadata.title') === undefined &&
    metadata.title === undefined
  ) {
    refuse(reader, 'catalog.metadata.title', 'Field required')
  }
  const version = textOf(reader, metadata['oscal-version'], 'catalog.metadata.oscal-version')
  if (version !== undefined && !/^1\./.test(version)) {
    refuse(reader, 'catalog.metadata.oscal-version', 'Input should be a version 1 of OSCAL', version)
  }
}

function readResources(reader: OscalReader, catalog: Fields): Map<string, Reference> {
  const resources = new Map<string, Reference>()
  const path = 'catalog.back-matter'
  const matter =
    catalog['back-matter'] === undefined ? undefined : fieldsOf(reader, catalog['back-matter'], path)
  for (const [resource, place] of listOf(reader, matter?.resources, `${path}.resources`)) {
    const uuid = textOf(reader, resource.uuid, `${place}.uuid`)
    const address = listOf(reader, resource.rlinks, `${place}.rlinks`)
      .map(([rlink, at]) => textOf(reader, rlink.href, `${at}.href`))
      .find(isLink)
    const citation = resource.citation === undefined ? undefined : fieldsOf(reader, resource.citation, place)
    const label = textOf(reader, resource.title ?? citation?.text, `${place}.title`)
    if (uuid !== undefined && address !== undefined) resources.set(uuid, { address, label: label ?? '' })
  }
  return resources
}

/** Everywhere in the document, because a control may insert what a group declares, or another control. */
function collectParameters(reader: OscalReader, fields: Fields, path: string, document: Document): void {
  for (const [parameter, place] of listOf(reader, fields.params, `${path}.params`)) {
    const id = textOf(reader, parameter.id, `${place}.id`)
    const select =
      parameter.select === undefined ? undefined : fieldsOf(reader, parameter.select, `${place}.select`)
    if (id === undefined) continue
    document.parameters.set(id, {
      id,
      label: textOf(reader, parameter.label, `${place}.label`),
      values: textsOf(reader, parameter.values, `${place}.values`),
      choices: textsOf(reader, select?.choice, `${place}.select.choice`),
    })
  }
  for (const inner of ['groups', 'controls']) {
    for (const [child, place] of listOf(reader, fields[inner], `${path}.${inner}`)) {
      collectParameters(reader, child, place, document)
    }
  }
}

/** Groups hold groups and controls, controls hold controls: each control of any depth becomes one of ours. */
function readContent(
  reader: OscalReader,
  fields: Fields,
  path: string,
  group: string | undefined,
  document: Document,
): void {
  for (const [inner, place] of listOf(reader, fields.groups, `${path}.groups`)) {
    readContent(reader, inner, place, textOf(reader, inner.id, `${place}.id`) ?? group, document)
  }
  for (const [control, place] of listOf(reader, fields.controls, `${path}.controls`)) {
    if (document.controls.length >= MAX_CONTROLS) {
      refuse(reader, 'catalog', `Catalogue should have at most ${MAX_CONTROLS} controls`)
      return
    }
    document.controls.push(readControl(reader, control, place, group, document))
    readContent(reader, control, place, group, document)
  }
}

function readControl(
  reader: OscalReader,
  control: Fields,
  path: string,
  group: string | undefined,
  document: Document,
): CatalogueControl {
  const properties = readProperties(reader, control, path)
  const own = properties.filter(({ ns }) => ns === OSCAL_NAMESPACE)
  const ownValue = (name: string) => own.find(property => property.name === name)?.value
  const isWithdrawn = properties.some(
    ({ name, ns, value }) => ns !== OSCAL_NAMESPACE && name === 'status' && value.toLowerCase() === WITHDRAWN,
  )
  const exactName = ownValue('name')
  return {
    identifier: readIdentifier(reader, control, path, ownValue('identifier'), document),
    name: exactName === undefined ? readTitle(reader, control, path) : unescaped(exactName),
    description: readDescription(reader, control, path, document),
    links: readLinks(reader, control, path, document, own),
    tags: readTags(reader, properties, path, group),
    archived: isWithdrawn ? true : undefined,
  }
}

function readIdentifier(
  reader: OscalReader,
  control: Fields,
  path: string,
  exact: string | undefined,
  { used }: Document,
): string {
  const id = textOf(reader, control.id, `${path}.id`)
  if (control.id === undefined) refuse(reader, `${path}.id`, 'Field required')
  if (id === undefined) return ''
  const identifier = exact === undefined ? id : unescaped(exact)
  const problem = FIELD_PROBLEMS.identifier(identifier)
  if (problem) refuse(reader, `${path}.id`, problem, identifier)
  const earlier = used.get(identifier)
  if (earlier !== undefined) {
    refuse(reader, `${path}.id`, `Identifier should be used only once, ${earlier} has it already`, identifier)
  }
  used.set(identifier, path)
  return identifier
}

function readTitle(reader: OscalReader, control: Fields, path: string): string {
  const title = textOf(reader, control.title, `${path}.title`)
  if (control.title === undefined || title === '') refuse(reader, `${path}.title`, 'Field required')
  return cut(singleLine(title ?? ''), MAX_CONTROL_NAME)
}

function readDescription(
  reader: OscalReader,
  control: Fields,
  path: string,
  document: Document,
): string | null {
  const parts = readParts(reader, control, path)
  const text = statementText(parts, document.parameters, MAX_CONTROL_DESCRIPTION)
  const description = cut(text, MAX_CONTROL_DESCRIPTION)
  document.text_length += description.length
  if (document.text_length > MAX_TEXT) {
    refuse(reader, 'catalog', `Statements should have at most ${MAX_TEXT} characters, taken together`)
    return null
  }
  return description || null
}

function readParts(reader: OscalReader, fields: Fields, path: string): Part[] {
  return listOf(reader, fields.parts, `${path}.parts`).map(([part, place]) => ({
    name: textOf(reader, part.name, `${place}.name`) ?? '',
    label: readProperties(reader, part, place).find(({ name }) => name === 'label')?.value,
    prose: textOf(reader, part.prose, `${place}.prose`),
    parts: readParts(reader, part, place),
  }))
}

/** Links to other controls and to files are passed over, and so are more than a control can have. */
function readLinks(
  reader: OscalReader,
  control: Fields,
  path: string,
  { resources }: Document,
  own: readonly Property[],
): Record<string, string> {
  const links = new Map<string, string>()
  for (const [link, place] of listOf(reader, control.links, `${path}.links`)) {
    const href = textOf(reader, link.href, `${place}.href`) ?? ''
    const text = textOf(reader, link.text, `${place}.text`)
    const relation = textOf(reader, link.rel, `${place}.rel`)
    const resource = href.startsWith('#') ? resources.get(href.slice(1)) : undefined
    const address = resource?.address ?? (isLink(href) ? href : undefined)
    if (address === undefined || links.size >= MAX_CONTROL_LINKS) continue
    links.set(unusedLabel(links, text || resource?.label || relation || 'link'), address)
  }
  const exact = own.filter(({ name }) => name === 'links').flatMap(({ value }) => pairsIn(value))
  return exact.length > 0 ? Object.fromEntries(exact.filter(isExactLink)) : Object.fromEntries(links)
}

function pairsIn(value: string): [string, string][] {
  const pair = pairFrom(unescaped(value))
  return pair ? [pair] : []
}

function isExactLink([label, address]: [string, string]): boolean {
  return FIELD_PROBLEMS.label(label) === undefined && FIELD_PROBLEMS.address(address) === undefined
}

function unusedLabel(links: ReadonlyMap<string, string>, wanted: string): string {
  const label = cut(singleLine(wanted), MAX_LINK_LABEL)
  if (!links.has(label)) return label
  for (let number = 2; ; number += 1) {
    const numbered = `${cut(label, MAX_LINK_LABEL - 5)} ${number}`
    if (!links.has(numbered)) return numbered
  }
}

function readTags(
  reader: OscalReader,
  properties: readonly Property[],
  path: string,
  group: string | undefined,
): Tags {
  const labels = properties.filter(({ name, ns }) => name === 'label' && ns !== OSCAL_NAMESPACE)
  const label = labels.find(property => property.class === undefined) ?? labels[0]
  const pairs: [string, string][] = [
    ...(group === undefined ? [] : [[GROUP_TAG, group] as [string, string]]),
    ...(label === undefined ? [] : [[LABEL_TAG, label.value] as [string, string]]),
    ...properties
      .filter(({ name, ns }) => name === 'tag' && ns === OSCAL_NAMESPACE)
      .flatMap(({ value }) => pairsIn(value)),
  ]
  for (const [key, value] of pairs) {
    const problem = TAG_PAIRS.keyProblem(key) ?? TAG_PAIRS.valueProblem(value)
    if (problem) refuse(reader, `${path}.props`, `Tag '${key}': ${problem}`, value)
  }
  if (pairs.length > TAG_PAIRS.most) {
    refuse(reader, `${path}.props`, `Control should have at most ${TAG_PAIRS.most} tags`)
  }
  return Object.fromEntries(pairs)
}

function readProperties(reader: OscalReader, fields: Fields, path: string): Property[] {
  return listOf(reader, fields.props, `${path}.props`).map(([property, place]) => ({
    name: textOf(reader, property.name, `${place}.name`) ?? '',
    ns: textOf(reader, property.ns, `${place}.ns`),
    class: textOf(reader, property.class, `${place}.class`),
    value: textOf(reader, property.value, `${place}.value`) ?? '',
  }))
}

function textsOf(reader: OscalReader, value: unknown, path: string): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    refuse(reader, path, 'Input should be a valid list')
    return []
  }
  return value.map((item, index) => textOf(reader, item, `${path}[${index}]`) ?? '')
}

function isLink(address: string | undefined): address is string {
  return address !== undefined && address.length <= MAX_LINK_ADDRESS && isWebAddress(address)
}

function cut(text: string, most: number): string {
  if (text.length <= most || lengthOf(text) <= most) return text
  return `${[...text.slice(0, 2 * most)].slice(0, most - 1).join('')}…`
}
