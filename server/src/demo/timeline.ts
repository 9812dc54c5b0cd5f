// Half a year at the demo company, as the API calls of its people and machines in chronological order. Pure: the same
// end and seed give the same calls.
import { type Call, HOUR, WEEK } from './call.ts'
import * as company from './company.ts'
import { buildReleaseCalls } from './pipeline.ts'
import { buildLatestRelease, buildReleases, buildRetiredRelease, buildUnbuiltRelease } from './release.ts'
import {
  buildDeployments,
  buildForeignDeployments,
  buildForeignFollowUps,
  buildReports,
  type Deployment,
} from './running.ts'
import { makeSeededRandom } from './seeded-random.ts'
import {
  buildFirstSetUp,
  buildNotifications,
  buildOwnership,
  buildPendingOverride,
  buildPipelineKey,
  buildReportInterval,
  buildRetirements,
  buildRuleChanges,
} from './setup.ts'

const WEEKS = 26

export function buildTimeline(end: number, seed: number): Call[] {
  const random = makeSeededRandom(seed)
  const start = end - WEEKS * WEEK
  const releases = company.SERVICES.flatMap(service => buildReleases(service, start, end, random))
  const latest = buildLatestRelease(end)
  const retired = buildRetiredRelease(start + 3 * HOUR)
  const deployments: Deployment[] = [
    ...releases.flatMap(release => buildDeployments(release, end, random)),
    ...buildForeignDeployments(start, end),
    ...buildDeployments(latest, end, makeSeededRandom(seed)).map(each => ({
      ...each,
      at: latest.begun_at + 2 * HOUR,
    })),
    ...buildDeployments(retired, end, makeSeededRandom(seed))
      .filter(({ environment }) => environment === retired.service.runs_in)
      .map(each => ({ ...each, environment: company.RETIRED.environment.name })),
  ]
  const calls = [
    ...buildFirstSetUp(start),
    ...buildRuleChanges(start),
    ...buildRetirements(start),
    buildPipelineKey(end),
    buildReportInterval(end),
    ...buildOwnership(end),
    ...buildNotifications(end),
    ...buildPendingOverride(end, releases),
    ...[...releases, latest, retired, buildUnbuiltRelease(releases, end)].flatMap(buildReleaseCalls),
    ...buildForeignFollowUps(start, end, releases),
    ...buildReports(deployments, start, end),
  ]
  return calls.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
}
