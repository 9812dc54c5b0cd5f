// Half a year at the company, as the calls that its people and machines made, in the order of time. Pure: the same end
// and seed give the same story.
import { type Call, HOUR, WEEK } from './call.ts'
import * as company from './company.ts'
import { makeDice } from './dice.ts'
import {
  beginning,
  changesOfRules,
  decisionsOfTwo,
  newKey,
  newRhythm,
  retirements,
  whoBelongs,
  whoIsTold,
} from './house.ts'
import { callsOf, latestRelease, releasesOf, retiredRelease, unbuiltRelease } from './release.ts'
import { type Deployment, dealingsWithStrangers, deploymentsOf, reportsOf, strangers } from './running.ts'

const WEEKS = 26

export function tellStory(end: number, seed: number): Call[] {
  const dice = makeDice(seed)
  const start = end - WEEKS * WEEK
  const releases = company.SERVICES.flatMap(service => releasesOf(service, start, end, dice))
  const latest = latestRelease(end)
  const retired = retiredRelease(start + 3 * HOUR)
  const deployments: Deployment[] = [
    ...releases.flatMap(release => deploymentsOf(release, end, dice)),
    ...strangers(start, end),
    ...deploymentsOf(latest, end, makeDice(seed)).map(each => ({ ...each, at: latest.begun_at + 2 * HOUR })),
    ...deploymentsOf(retired, end, makeDice(seed))
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
    ...[...releases, latest, retired, unbuiltRelease(releases, end)].flatMap(callsOf),
    ...dealingsWithStrangers(start, end, releases),
    ...reportsOf(deployments, start, end),
  ]
  return calls.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
}
