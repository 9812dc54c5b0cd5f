// Exports the controls of an organization as an OSCAL catalog. Importing it again gives the same controls: values
// that OSCAL cannot represent are also stored in a property in our own namespace.
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

/** User-supplied addresses may contain characters that a URI does not allow; these are percent-encoded. */
function encodeUri(address: string): string {
  const [, origin = '', path = '', fragment] = /^(\w+:\/\/[^/?#]*)([^#]*)(?:#(.*))?$/s.exec(address) ?? []
  const end = fragment === undefined ? '' : `#${percentEncode(fragment)}`
  return percentEncode(origin, '[]') + percentEncode(path) + end
}

function percentEncode(text: string, also = ''): string {
  return text
    .replace(/[^A-Za-z0-9\-._~:/?@!$&'()*+,;=%]/gu, found =>
      also.includes(found) ? found : encodeURIComponent(found),
    )
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25')
}
