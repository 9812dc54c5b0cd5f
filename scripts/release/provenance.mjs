// Documents how the release was made: an in-toto statement with SLSA provenance. It names every file by hash, the
// commit, and everything that was fetched. It is not signed here: whoever publishes the release signs it
// (docs/releasing.md).
import { toPackageUrl } from './sbom.mjs'

const BUILD_TYPE = 'https://waybill.example/release/v1'

/**
 * `files` are `{ name, sha256 }`; `fetched` are `{ name, version, integrity }` for npm and `{ file, sha256 }` for
 * Debian.
 */
export function makeProvenance({ version, commit, isDirty, node, files, lock_hashes, fetched }) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { version, command: 'npm run release' },
        internalParameters: { node, changed_since_commit: isDirty },
        resolvedDependencies: [
          { name: 'source', uri: 'git+waybill', digest: { gitCommit: commit } },
          ...lock_hashes.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
          ...fetched.map(toDependency),
        ],
      },
      runDetails: {
        builder: { id: `${BUILD_TYPE}/local` },
        metadata: { invocationId: `${commit}/${version}` },
      },
    },
  }
}

function toDependency({ name, version, integrity, archive, file, sha256 }) {
  if (sha256 !== undefined) return { uri: `http://deb.debian.org/${archive}/${file}`, digest: { sha256 } }
  const sha512 = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  return { uri: toPackageUrl(name, version), digest: { sha512 } }
}
