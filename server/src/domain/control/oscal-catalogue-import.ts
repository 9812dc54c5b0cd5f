// Imports an OSCAL catalog (version 1, JSON): returns the controls, or every error with its path. Only fields that
// become part of a control are read; the rest of the catalog is ignored.

import type { Tags } from '../tags.ts'
import {
  type CatalogueControl,
  countCharacters,
  FIELD_PROBLEMS,
  isWebAddress,
  MAX_CONTROL_DESCRIPTION,
  MAX_CONTROL_LINKS,
  MAX_CONTROL_NAME,
  MAX_CONTROLS,
  MAX_LINK_ADDRESS,
  MAX_LINK_LABEL,
  type ParsedCatalogue,
  TAG_PAIRS,
} from './catalogue.ts'
import { OSCAL_NAMESPACE, parsePair, toSingleLine, unescapeValue } from './oscal.ts'
import { type Parameter, type Part, renderStatement } from './oscal-prose.ts'
import {
  addError,
  type Fields,
  makeOscalReader,
  type OscalReader,
  readFields,
  readList,
  readText,
} from './oscal-reader.ts'

const GROUP_TAG = 'oscal_group'
const LABEL_TAG = 'oscal_label'
const WITHDRAWN = 'withdrawn'
/**
 * Limit for all descriptions together: parameters that are inserted repeatedly could produce far more text than was
 * sent.
 */
const MAX_TEXT = 16 * 1024 * 1024

interface Document {
  parameters: Map<string, Parameter>
  /** Resources of the back matter: uuid to address and title. */
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
  const reader = makeOscalReader()
  const catalog = readFields(reader, readFields(reader, json, '')?.catalog, 'catalog')
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
  const metadata = readFields(reader, catalog.metadata, 'catalog.metadata')
  if (!metadata) return
  if (
    readText(reader, metadata.title, 'catalog.metadata.title') === undefined &&
    metadata.title === undefined
  ) {
    addError(reader, 'catalog.metadata.title', 'Field required')
  }
  const version = readText(reader, metadata['oscal-version'], 'catalog.metadata.oscal-version')
  if (version !== undefined && !/^1\./.test(version)) {
    addError(reader, 'catalog.metadata.oscal-version', 'Input should be a version 1 of OSCAL', version)
  }
}

function readResources(reader: OscalReader, catalog: Fields): Map<string, Reference> {
  const resources = new Map<string, Reference>()
  const path = 'catalog.back-matter'
  const matter =
    catalog['back-matter'] === undefined ? undefined : readFields(reader, catalog['back-matter'], path)
  for (const [resource, place] of readList(reader, matter?.resources, `${path}.resources`)) {
    const uuid = readText(reader, resource.uuid, `${place}.uuid`)
    const address = readList(reader, resource.rlinks, `${place}.rlinks`)
      .map(([rlink, at]) => readText(reader, rlink.href, `${at}.href`))
      .find(isLink)
    const citation =
      resource.citation === undefined ? undefined : readFields(reader, resource.citation, place)
    const label = readText(reader, resource.title ?? citation?.text, `${place}.title`)
    if (uuid !== undefined && address !== undefined) resources.set(uuid, { address, label: label ?? '' })
  }
  return resources
}

/** Collected from the whole document, because a control may insert parameters of a group or of another control. */
function collectParameters(reader: OscalReader, fields: Fields, path: string, document: Document): void {
  for (const [parameter, place] of readList(reader, fields.params, `${path}.params`)) {
    const id = readText(reader, parameter.id, `${place}.id`)
    const select =
      parameter.select === undefined ? undefined : readFields(reader, parameter.select, `${place}.select`)
    if (id === undefined) continue
    document.parameters.set(id, {
      id,
      label: readText(reader, parameter.label, `${place}.label`),
      values: readTexts(reader, parameter.values, `${place}.values`),
      choices: readTexts(reader, select?.choice, `${place}.select.choice`),
    })
  }
  for (const inner of ['groups', 'controls']) {
    for (const [child, place] of readList(reader, fields[inner], `${path}.${inner}`)) {
      collectParameters(reader, child, place, document)
    }
  }
}

/** Groups contain groups and controls, and controls contain controls: every control at any depth is imported. */
function readContent(
  reader: OscalReader,
  fields: Fields,
  path: string,
  group: string | undefined,
  document: Document,
): void {
  for (const [inner, place] of readList(reader, fields.groups, `${path}.groups`)) {
    readContent(reader, inner, place, readText(reader, inner.id, `${place}.id`) ?? group, document)
  }
  for (const [control, place] of readList(reader, fields.controls, `${path}.controls`)) {
    if (document.controls.length >= MAX_CONTROLS) {
      addError(reader, 'catalog', `Catalogue should have at most ${MAX_CONTROLS} controls`)
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
  const findOwnValue = (name: string) => own.find(property => property.name === name)?.value
  const isWithdrawn = properties.some(
    ({ name, ns, value }) => ns !== OSCAL_NAMESPACE && name === 'status' && value.toLowerCase() === WITHDRAWN,
  )
  const exactName = findOwnValue('name')
  return {
    identifier: readIdentifier(reader, control, path, findOwnValue('identifier'), document),
    name: exactName === undefined ? readTitle(reader, control, path) : unescapeValue(exactName),
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
  const id = readText(reader, control.id, `${path}.id`)
  if (control.id === undefined) addError(reader, `${path}.id`, 'Field required')
  if (id === undefined) return ''
  const identifier = exact === undefined ? id : unescapeValue(exact)
  const problem = FIELD_PROBLEMS.identifier(identifier)
  if (problem) addError(reader, `${path}.id`, problem, identifier)
  const earlier = used.get(identifier)
  if (earlier !== undefined) {
    addError(
      reader,
      `${path}.id`,
      `Identifier should be used only once, ${earlier} already has it`,
      identifier,
    )
  }
  used.set(identifier, path)
  return identifier
}

function readTitle(reader: OscalReader, control: Fields, path: string): string {
  const title = readText(reader, control.title, `${path}.title`)
  if (control.title === undefined || title === '') addError(reader, `${path}.title`, 'Field required')
  return cut(toSingleLine(title ?? ''), MAX_CONTROL_NAME)
}

function readDescription(
  reader: OscalReader,
  control: Fields,
  path: string,
  document: Document,
): string | null {
  const parts = readParts(reader, control, path)
  const text = renderStatement(parts, document.parameters, MAX_CONTROL_DESCRIPTION)
  const description = cut(text, MAX_CONTROL_DESCRIPTION)
  document.text_length += description.length
  if (document.text_length > MAX_TEXT) {
    addError(reader, 'catalog', `Statements should have at most ${MAX_TEXT} characters in total`)
    return null
  }
  return description || null
}

function readParts(reader: OscalReader, fields: Fields, path: string): Part[] {
  return readList(reader, fields.parts, `${path}.parts`).map(([part, place]) => ({
    name: readText(reader, part.name, `${place}.name`) ?? '',
    label: readProperties(reader, part, place).find(({ name }) => name === 'label')?.value,
    prose: readText(reader, part.prose, `${place}.prose`),
    parts: readParts(reader, part, place),
  }))
}

/** Ignores links to other controls and to files, and links beyond the maximum number. */
function readLinks(
  reader: OscalReader,
  control: Fields,
  path: string,
  { resources }: Document,
  own: readonly Property[],
): Record<string, string> {
  const links = new Map<string, string>()
  for (const [link, place] of readList(reader, control.links, `${path}.links`)) {
    const href = readText(reader, link.href, `${place}.href`) ?? ''
    const text = readText(reader, link.text, `${place}.text`)
    const relation = readText(reader, link.rel, `${place}.rel`)
    const resource = href.startsWith('#') ? resources.get(href.slice(1)) : undefined
    const address = resource?.address ?? (isLink(href) ? href : undefined)
    if (address === undefined || links.size >= MAX_CONTROL_LINKS) continue
    links.set(findUnusedLabel(links, text || resource?.label || relation || 'link'), address)
  }
  const exact = own.filter(({ name }) => name === 'links').flatMap(({ value }) => parsePairs(value))
  return exact.length > 0 ? Object.fromEntries(exact.filter(isExactLink)) : Object.fromEntries(links)
}

function parsePairs(value: string): [string, string][] {
  const pair = parsePair(unescapeValue(value))
  return pair ? [pair] : []
}

function isExactLink([label, address]: [string, string]): boolean {
  return FIELD_PROBLEMS.label(label) === undefined && FIELD_PROBLEMS.address(address) === undefined
}

function findUnusedLabel(links: ReadonlyMap<string, string>, preferred: string): string {
  const label = cut(toSingleLine(preferred), MAX_LINK_LABEL)
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
      .flatMap(({ value }) => parsePairs(value)),
  ]
  for (const [key, value] of pairs) {
    const problem = TAG_PAIRS.findKeyProblem(key) ?? TAG_PAIRS.findValueProblem(value)
    if (problem) addError(reader, `${path}.props`, `Tag '${key}': ${problem}`, value)
  }
  if (pairs.length > TAG_PAIRS.max) {
    addError(reader, `${path}.props`, `Control should have at most ${TAG_PAIRS.max} tags`)
  }
  return Object.fromEntries(pairs)
}

function readProperties(reader: OscalReader, fields: Fields, path: string): Property[] {
  return readList(reader, fields.props, `${path}.props`).map(([property, place]) => ({
    name: readText(reader, property.name, `${place}.name`) ?? '',
    ns: readText(reader, property.ns, `${place}.ns`),
    class: readText(reader, property.class, `${place}.class`),
    value: readText(reader, property.value, `${place}.value`) ?? '',
  }))
}

function readTexts(reader: OscalReader, value: unknown, path: string): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    addError(reader, path, 'Input should be a valid list')
    return []
  }
  return value.map((item, index) => readText(reader, item, `${path}[${index}]`) ?? '')
}

function isLink(address: string | undefined): address is string {
  return address !== undefined && address.length <= MAX_LINK_ADDRESS && isWebAddress(address)
}

function cut(text: string, max: number): string {
  if (text.length <= max || countCharacters(text) <= max) return text
  return `${[...text.slice(0, 2 * max)].slice(0, max - 1).join('')}…`
}
