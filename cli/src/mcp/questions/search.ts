// Finds things by a commit, a fingerprint or part of a name.
import type { Schemas } from '../../api-types.ts'
import { readPage } from '../../commands/pages.ts'
import { formatState } from '../../print/table.ts'
import { count } from '../count.ts'
import { show } from '../mark-data.ts'
import { type Answered, defineQuestion, PER_PAGE, requiredText, type Service } from '../question.ts'

/** For each kind of thing. */
const PER_KIND = 5
const SHA = /^[0-9a-f]{5,64}$/

export const searchQuestions = [
  defineQuestion({
    name: 'search',
    title: 'Search',
    description:
      'Finds artifacts by a git commit or a fingerprint; with anything else: environments, flows, trails and artifacts whose name contains it.',
    parameters: {
      text: requiredText('a commit or fingerprint (at least 5 characters), or a part of a name'),
    },
    operations: ['searchBySha', 'listEnvironments', 'listFlows', 'listTrails', 'listArtifacts'],
    answer: ({ text }, service) =>
      SHA.test(text) ? searchBySha(service, text) : searchByName(service, text),
  }),
]

async function searchBySha(service: Service, value: string): Promise<Answered> {
  const found = await service.read<Schemas['ShaFound']>({
    template: '/search/{org}/sha/{value}',
    params: { value },
  })
  const { type, fingerprints, commits } = found.resolved_to
  return {
    summary:
      type === 'ambiguous'
        ? `Several match (${fingerprints.count} fingerprints, ${commits.count} commits): give more characters.`
        : `${count(found.artifacts_count, 'artifact')}.`,
    lines: found.artifacts
      .slice(0, PER_PAGE)
      .map(
        artifact =>
          `${show(artifact.name)} ${artifact.fingerprint.slice(0, 12)}: ${artifact.compliance_state} in flow ${show(artifact.flow)}, commit ${artifact.git_commit.slice(0, 12)}, runs in ${artifact.running_in.map(name => show(name)).join(', ') || 'no environment'}; page: ${artifact.html_url}`,
      ),
    more:
      found.artifacts_count > PER_PAGE
        ? `${found.artifacts_count - PER_PAGE} more: give more characters.`
        : undefined,
  }
}

async function searchByName(service: Service, text: string): Promise<Answered> {
  const query = { search_by_name: text, page: 1, per_page: PER_KIND }
  const [environments, flows, trails, artifacts] = await Promise.all([
    service.read({ template: '/environments/{org}', query: { name: text, page: 1, per_page: PER_KIND } }),
    service.read({ template: '/flows/{org}', query }),
    service.read({ template: '/trails/{org}', query }),
    service.read({ template: '/artifacts/{org}', query }),
  ])
  const lines = [
    ...readPage<Schemas['Environment']>(environments, 'environments').items.map(
      ({ name, state, html_url }) => `environment ${show(name)}: ${formatState(state)}; page: ${html_url}`,
    ),
    ...readPage<Schemas['Flow']>(flows, 'data').items.map(
      ({ name, latest_state }) =>
        `flow ${show(name)}: newest trail ${latest_state ?? 'none'}; page: ${service.link('flows', name)}`,
    ),
    ...readPage<Schemas['TrailSummary']>(trails, 'data').items.map(
      trail =>
        `trail ${show(trail.name)} of flow ${show(trail.flow_name)}: ${trail.compliance_state}; page: ${trail.html_url}`,
    ),
    ...readPage<Schemas['Artifact']>(artifacts, 'data').items.map(
      artifact =>
        `artifact ${show(artifact.filename)} ${artifact.fingerprint.slice(0, 12)} of flow ${show(artifact.flow_name)}: ${artifact.state}; page: ${artifact.html_url}`,
    ),
  ]
  return {
    summary:
      lines.length === 0
        ? 'Nothing has such a name.'
        : `${lines.length} found, at most ${PER_KIND} of each kind.`,
    lines,
  }
}
