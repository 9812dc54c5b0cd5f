// CycloneDX 1.2 to 1.7 in JSON.
import {
  expectObject,
  failAt,
  getDeepField,
  getField,
  isMissing,
  type JsonNode,
  listItems,
  listOptionalItems,
  readOptionalText,
} from './json-node.ts'
import {
  buildSubject,
  buildTools,
  checkCreatedAt,
  checkSha256,
  type ReadSbom,
  type SbomSubject,
} from './sbom-document.ts'

export const CYCLONEDX_VERSIONS: readonly string[] = ['1.2', '1.3', '1.4', '1.5', '1.6', '1.7']

export function readCycloneDxJson(root: JsonNode): ReadSbom {
  expectObject(root, 'a CycloneDX SBOM')
  const bomFormat = getField(root, 'bomFormat')
  if (bomFormat.value !== 'CycloneDX') failAt(bomFormat, "'CycloneDX'")
  const specVersion = getField(root, 'specVersion')
  const version = CYCLONEDX_VERSIONS.find(each => each === specVersion.value)
  const timestamp = getDeepField(root, 'metadata', 'timestamp')
  return {
    format: `cyclonedx-${version ?? failAt(specVersion, `one of the versions ${CYCLONEDX_VERSIONS.join(', ')}`)}`,
    document: {
      created_at: checkCreatedAt(
        { file: timestamp.file, place: timestamp.path },
        readOptionalText(timestamp, 'a time'),
      ),
      tools: readTools(getDeepField(root, 'metadata', 'tools')),
      subject: readSubject(getDeepField(root, 'metadata', 'component')),
      package_count: countPackages(getField(root, 'components')),
    },
  }
}

/** A list up to 1.4, an object with components and services from 1.5 on. */
function readTools(tools: JsonNode): string[] | null {
  if (isMissing(tools)) return null
  const items = Array.isArray(tools.value)
    ? listItems(tools, 'tools')
    : ['components', 'services'].flatMap(key =>
        listOptionalItems(getField(expectObject(tools, 'tools'), key), key),
      )
  return buildTools(
    items.map(tool => ({
      name: readOptionalText(getField(tool, 'name'), 'the name of the tool'),
      version: readOptionalText(getField(tool, 'version'), 'the version of the tool'),
    })),
  )
}

function readSubject(component: JsonNode): SbomSubject | null {
  if (isMissing(component)) return null
  expectObject(component, 'the component that the SBOM describes')
  const hashes = listOptionalItems(getField(component, 'hashes'), 'hashes')
  const hash = hashes.find(each => getField(each, 'alg').value === 'SHA-256')
  const content = hash && getField(hash, 'content')
  return buildSubject({
    name: readOptionalText(getField(component, 'name'), 'the name'),
    version: readOptionalText(getField(component, 'version'), 'the version'),
    purl: readOptionalText(getField(component, 'purl'), 'the package URL'),
    sha256: content
      ? checkSha256({ file: content.file, place: content.path }, readOptionalText(content, 'the hash'))
      : null,
  })
}

/** Nested components count too. The depth of the file is limited, and so is this recursion. */
function countPackages(components: JsonNode): number {
  return listOptionalItems(components, 'components').reduce((count, component) => {
    expectObject(component, 'a component')
    const own = getField(component, 'type').value === 'file' ? 0 : 1
    return count + own + countPackages(getField(component, 'components'))
  }, 0)
}
