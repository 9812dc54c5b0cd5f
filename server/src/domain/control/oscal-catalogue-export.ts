// The controls of an organization as an OSCAL catalog. Reading it back gives the same controls: what OSCAL cannot take as
// it is stands in a property of ours as well.
import type { CatalogueControl } from './catalogue.ts'
import {
  buildMetadata,
  buildOwnProperty,
  computeUuid,
  formatPair,
  type OscalMetadata,
  type OscalProperty,
  toSingleLine,
  toStatementId,
  toToken,
} from './oscal.ts'

interface OscalLink {
  href: string
  rel: 'reference'
  text: string
}

interface OscalControl {
  id: string
  title: string
  props?: OscalProperty[]
  links?: OscalLink[]
  parts: { id: string; name: 'statement'; prose?: string }[]
}

export interface OscalCatalogue {
  catalog: { uuid: string; metadata: OscalMetadata; controls?: OscalControl[] }
}

export function buildOscalCatalogue(
  org: string,
  controls: readonly CatalogueControl[],
  last_modified: Date,
): OscalCatalogue {
  const written = controls.map(buildControl)
  return {
    catalog: {
      uuid: computeUuid('catalogue', org),
      metadata: buildMetadata(`Controls of ${org}`, last_modified),
      ...(written.length === 0 ? {} : { controls: written }),
    },
  }
}

function buildControl(control: CatalogueControl): OscalControl {
  const { identifier, name, description, links } = control
  const props = buildProperties(control)
  const written = Object.entries(links).map(
    ([label, address]): OscalLink => ({
      href: encodeUri(address),
      rel: 'reference',
      text: toSingleLine(label),
    }),
  )
  return {
    id: toToken(identifier),
    title: toSingleLine(name),
    ...(props.length === 0 ? {} : { props }),
    ...(written.length === 0 ? {} : { links: written }),
    parts: [
      {
        id: toStatementId(identifier),
        name: 'statement',
        ...(description === null ? {} : { prose: description }),
      },
    ],
  }
}

function buildProperties({ identifier, name, links, tags, archived }: CatalogueControl): OscalProperty[] {
  const pairs = Object.entries(links)
  const isExact = pairs.every(
    ([label, address]) => toSingleLine(label) === label && encodeUri(address) === address,
  )
  return [
    ...(archived ? [{ name: 'status', value: 'withdrawn' }] : []),
    ...(toToken(identifier) === identifier ? [] : [buildOwnProperty('identifier', identifier)]),
    ...(toSingleLine(name) === name ? [] : [buildOwnProperty('name', name)]),
    ...(isExact
      ? []
      : pairs.map(([label, address]) => buildOwnProperty('links', formatPair(label, address)))),
    ...Object.entries(tags ?? {}).map(([key, value]) => buildOwnProperty('tag', formatPair(key, value))),
  ]
}

/** Addresses people write hold more than a URI may: everything else is written in percents. */
function encodeUri(address: string): string {
  const [, origin = '', path = '', fragment] = /^(\w+:\/\/[^/?#]*)([^#]*)(?:#(.*))?$/s.exec(address) ?? []
  const end = fragment === undefined ? '' : `#${encodePercents(fragment)}`
  return encodePercents(origin, '[]') + encodePercents(path) + end
}

function encodePercents(text: string, also = ''): string {
  return text
    .replace(/[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/gu, found =>
      also.includes(found) ? found : encodeURIComponent(found),
    )
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25')
}
