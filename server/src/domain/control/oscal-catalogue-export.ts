// The controls of an organization as an OSCAL catalog. Reading it back gives the same controls: what OSCAL cannot take as
// it is stands in a property of ours as well.
import type { CatalogueControl } from './catalogue.ts'
import {
  metadataOf,
  type OscalMetadata,
  type OscalProperty,
  ownProperty,
  pairValue,
  singleLine,
  statementIdOf,
  tokenOf,
  uuidOf,
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

export function oscalCatalogue(
  org: string,
  controls: readonly CatalogueControl[],
  last_modified: Date,
): OscalCatalogue {
  const written = controls.map(controlOf)
  return {
    catalog: {
      uuid: uuidOf('catalogue', org),
      metadata: metadataOf(`Controls of ${org}`, last_modified),
      ...(written.length === 0 ? {} : { controls: written }),
    },
  }
}

function controlOf(control: CatalogueControl): OscalControl {
  const { identifier, name, description, links } = control
  const props = propertiesOf(control)
  const written = Object.entries(links).map(
    ([label, address]): OscalLink => ({ href: uriOf(address), rel: 'reference', text: singleLine(label) }),
  )
  return {
    id: tokenOf(identifier),
    title: singleLine(name),
    ...(props.length === 0 ? {} : { props }),
    ...(written.length === 0 ? {} : { links: written }),
    parts: [
      {
        id: statementIdOf(identifier),
        name: 'statement',
        ...(description === null ? {} : { prose: description }),
      },
    ],
  }
}

function propertiesOf({ identifier, name, links, tags, archived }: CatalogueControl): OscalProperty[] {
  const pairs = Object.entries(links)
  const isExact = pairs.every(([label, address]) => singleLine(label) === label && uriOf(address) === address)
  return [
    ...(archived ? [{ name: 'status', value: 'withdrawn' }] : []),
    ...(tokenOf(identifier) === identifier ? [] : [ownProperty('identifier', identifier)]),
    ...(singleLine(name) === name ? [] : [ownProperty('name', name)]),
    ...(isExact ? [] : pairs.map(([label, address]) => ownProperty('links', pairValue(label, address)))),
    ...Object.entries(tags ?? {}).map(([key, value]) => ownProperty('tag', pairValue(key, value))),
  ]
}

/** Addresses people write hold more than a URI may: everything else is written in percents. */
function uriOf(address: string): string {
  const [, origin = '', path = '', fragment] = /^(\w+:\/\/[^/?#]*)([^#]*)(?:#(.*))?$/s.exec(address) ?? []
  const end = fragment === undefined ? '' : `#${inPercents(fragment)}`
  return inPercents(origin, '[]') + inPercents(path) + end
}

function inPercents(text: string, also = ''): string {
  return text
    .replace(/[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/gu, found =>
      also.includes(found) ? found : encodeURIComponent(found),
    )
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25')
}
