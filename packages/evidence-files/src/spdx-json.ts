// SPDX 2.1 to 2.3 in JSON.
import {
  expectObject,
  failAt,
  getDeepField,
  getField,
  isMissing,
  type JsonNode,
  listOptionalItems,
  readOptionalText,
  readText,
} from './json-node.ts'
import type { Place, ReadSbom } from './sbom-document.ts'
import { buildSpdx, findDescribed, type SpdxPackage } from './spdx.ts'

export function readSpdxJson(root: JsonNode): ReadSbom {
  expectObject(root, 'an SPDX document')
  const context = getField(root, '@context')
  if (!isMissing(context)) failAt(context, 'SPDX 2.1 to 2.3 in JSON or tag-value; SPDX 3 is not supported')
  const packages = listOptionalItems(getField(root, 'packages'), 'the packages')
  const creators = listOptionalItems(getDeepField(root, 'creationInfo', 'creators'), 'the creators')
  return buildSpdx({
    version: readPlaced(getField(root, 'spdxVersion')),
    id: readPlaced(getField(root, 'SPDXID')),
    created: readPlaced(getDeepField(root, 'creationInfo', 'created')),
    creators: creators.map(creator => readText(creator, 'a creator')),
    package_count: packages.length,
    described: readDescribed(root),
    packages: packages.map(readPackage),
  })
}

function readPlaced(node: JsonNode): { text: string | undefined; place: Place } {
  return { text: readOptionalText(node, 'text'), place: toPlace(node) }
}

const toPlace = ({ file, path }: JsonNode): Place => ({ file, place: path })

function readDescribed(root: JsonNode): Set<string> {
  const listed = listOptionalItems(getField(root, 'documentDescribes'), 'the described packages')
  const described = new Set(listed.map(id => readText(id, 'the id of a package')))
  for (const relationship of listOptionalItems(getField(root, 'relationships'), 'the relationships')) {
    if (isMissing(relationship)) continue
    const read = (key: string) => readOptionalText(getField(relationship, key), 'text') ?? ''
    const id = findDescribed(read('spdxElementId'), read('relationshipType'), read('relatedSpdxElement'))
    if (id !== undefined) described.add(id)
  }
  return described
}

function readPackage(node: JsonNode): SpdxPackage {
  expectObject(node, 'a package')
  const references = listOptionalItems(getField(node, 'externalRefs'), 'the external references')
  const purl = references.find(each => getField(each, 'referenceType').value === 'purl')
  const checksums = listOptionalItems(getField(node, 'checksums'), 'the checksums')
  const checksum = checksums.find(each => getField(each, 'algorithm').value === 'SHA256')
  const value = checksum && getField(checksum, 'checksumValue')
  return {
    id: readOptionalText(getField(node, 'SPDXID'), 'the id'),
    name: readOptionalText(getField(node, 'name'), 'the name'),
    version: readOptionalText(getField(node, 'versionInfo'), 'the version'),
    purl: purl && readOptionalText(getField(purl, 'referenceLocator'), 'the package URL'),
    sha256: value && { text: readOptionalText(value, 'the checksum') ?? '', place: toPlace(value) },
  }
}
