// Half a year at the company, as the calls that its people and machines made, in the order of time. Pure: the same end
// and seed give the same story.
import { type Call, HOUR, WEEK } from './call.ts'
import * as company from './company.ts'
import {
  buildLatestRelease,
  buildReleaseCalls,
  buildReleases,
  buildRetiredRelease,
  buildUnbuiltRelease,
} from './release.ts'
import {
  buildDeployments,
  buildForeignDeployments,
  buildForeignFollowUps,
  buildReports,
  type Deployment,
} from './running.ts'
import { makeDice } from './seeded-random.ts'
import {
  beginning,
  changesOfRules,
  decisionsOfTwo,
  newKey,
  newRhythm,
  retirements,
  whoBelongs,
  whoIsTold,
} from './setup.ts'

const WEEKS = 26

export function tellStory(end: number, seed: number): Call[] {
  const dice = makeDice(seed)
  const start = end - WEEKS * WEEK
  const releases = company.SERVICES.flatMap(service => buildReleases(service, start, end, dice))
  const latest = buildLatestRelease(end)
  const retired = buildRetiredRelease(start + 3 * HOUR)
  const deployments: Deployment[] = [
    ...releases.flatMap(release => buildDeployments(release, end, dice)),
    ...buildForeignDeployments(start, end),
    ...buildDeployments(latest, end, makeDice(seed)).map(each => ({
      ...each,
      at: latest.begun_at + 2 * HOUR,
    })),
    ...buildDeployments(retired, end, makeDice(seed))
      .filter(({ environment }) => environment === retired.service.runs_in)
      .map(each => ({ ...each, environment: company.RETIRED.environment.name })),
  ]
  const calls = [
    ...beginning(start),
    ...changesOfRules(start),
    ...retirements(start),
    newKey(end),
    newRhythm(end),
    ...whoBelongs(end),
    ...whoIsTold(end),
    ...decisionsOfTwo(end, releases),
    ...[...releases, latest, retired, buildUnbuiltRelease(releases, end)].flatMap(buildReleaseCalls),
    ...buildForeignFollowUps(start, end, releases),
    ...buildReports(deployments, start, end),
  ]
  return calls.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
}
