// The pipeline's reports about one release.
import { type Call, MINUTE, makeCalls, ORG, PIPELINE } from './call.ts'
import { toMailAddress } from './company.ts'
import { buildAttestations } from './evidence.ts'
import type { Release } from './release.ts'

/** All calls of the pipeline for one release, and those that a person adds. */
export function buildReleaseCalls(release: Release): Call[] {
  const { service, trail, begun_at } = release
  const { name } = service
  const at = (minutes: number) => makeCalls(PIPELINE, begun_at + minutes * MINUTE)
  const commit = buildCommit(release)
  const origin_url = `https://ci.harbour-bank.example/${name}/${release.version}`
  const begun = at(0).put(`/trails/${ORG}/${name}`, {
    name: trail,
    description: release.title,
    git_commit_info: commit,
    repo_info: buildRepo(name),
    origin_url,
  })
  const built = at(4).post(`/artifacts/${ORG}/${name}`, {
    fingerprint: release.fingerprint,
    filename: release.image,
    git_commit: release.commit,
    build_url: origin_url,
    commit_url: commit.url,
    trail_name: trail,
    template_reference_name: 'image',
    git_commit_info: commit,
    repo_info: buildRepo(name),
  })
  const attested = buildAttestations(release, commit).map(({ minutes, by = PIPELINE, type, body, file }) => ({
    ...makeCalls(by, begun_at + minutes * MINUTE).post(
      `/attestations/${ORG}/${name}/trail/${trail}/${type}`,
      body,
    ),
    ...(file ? { file } : {}),
  }))
  return [begun, ...(release.is_unbuilt ? [] : [built]), ...attested]
}

function buildCommit({ service, commit, author, title, begun_at }: Release) {
  return {
    sha1: commit,
    message: title,
    author: `${author} <${toMailAddress(author)}>`,
    branch: 'main',
    timestamp: begun_at - 20 * MINUTE,
    url: `https://git.harbour-bank.example/${service.name}/commit/${commit}`,
  }
}

const buildRepo = (name: string) => ({
  id: name,
  name: `harbour-bank/${name}`,
  url: `https://git.harbour-bank.example/${name}`,
  provider: 'github',
})
