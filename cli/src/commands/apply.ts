// Manages flows, environments, policies and more from files: `apply` changes the service to match the files,
// `export` writes them.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Step } from '../apply/plan.ts'
import { formatRows } from '../print/output.ts'
import { argument, defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'
import { list, requiredList, text, toggle } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { confirm } from './confirm.ts'

/** Loaded only here: no other command needs the service's rules and the YAML parser. */
const load = () => import('../apply/index.ts')

export const applyCommands = [
  defineCommand({
    words: ['apply'],
    summary: 'make flows, environments, policies and more as files describe them',
    details:
      'The files are YAML, one or several documents in a file, each with kind: flow, environment, policy, attestation-type, ' +
      'control or trust-rule. The other fields are those of the API. A field that a document omits has its default. ' +
      'Everything is checked and compared before the first change; the first refusal by the service stops the rest. ' +
      'With --plan nothing is changed. "waybill export" writes such files.',
    args: [],
    flags: {
      file: requiredList('a file, or a folder with files that end in .yml or .yaml', {
        short: 'f',
        placeholder: '<path>',
      }),
      plan: toggle('show what would change, and change nothing'),
      'exit-code': toggle('with --plan: exit with 4 if there is something to change'),
      prune: toggle(
        'also archive what no document has, and delete such trust rules: only names that a document of the kind ownership lists',
      ),
      comment: text('why; kept with new versions of policies', { placeholder: '<text>' }),
    },
    needs: 'org',
    operations: [
      'listFlows',
      'putFlowTemplateFile',
      'archiveFlow',
      'listEnvironments',
      'putEnvironment',
      'patchEnvironment',
      'archiveEnvironment',
      'listPolicies',
      'putPolicy',
      'archivePolicy',
      'listCustomAttestationTypes',
      'createCustomAttestationType',
      'archiveCustomAttestationType',
      'listControls',
      'createControl',
      'putControl',
      'archiveControl',
      'unarchiveControl',
      'listTrustRules',
      'createTrustRule',
      'putTrustRule',
      'deleteTrustRule',
    ],
    examples: ['apply -f waybill/ --plan', "apply -f waybill/ --comment 'require a scan'"],
    run: async ({ flags, context }) => {
      if (flags['exit-code'] && !flags.plan) failUsage('--exit-code is for --plan')
      const plan = await makePlan(context, flags.file, flags.prune)
      if (flags.plan || context.is_dry_run) return showPlan(context, plan, flags['exit-code'])
      return carryOut(context, plan, flags.comment)
    },
  }),
  defineCommand({
    words: ['export'],
    summary: 'write flows, environments, policies and more as files for "waybill apply"',
    details:
      'One file for each kind. What is archived is left out, and so are tags. Existing files are never overwritten.',
    args: [argument('folder', 'where to write the files; created if it does not exist')],
    flags: {
      kind: list(
        'only these: flow, environment, policy, attestation-type, control, trust-rule (for admins and auditors)',
        { placeholder: '<kinds>' },
      ),
    },
    needs: 'org',
    operations: [
      'listFlows',
      'listEnvironments',
      'listPolicies',
      'listCustomAttestationTypes',
      'listControls',
      'listTrustRules',
    ],
    examples: ['export waybill/', 'export waybill/ --kind flow,policy,environment'],
    run: ({ args: { folder = '' }, flags: { kind }, context }) => exportKinds(context, folder, kind),
  }),
]

async function makePlan(context: Context, paths: readonly string[], prunes: boolean): Promise<Step[]> {
  const apply = await load()
  const { cwd } = context.system
  const raw = apply.readDocuments(apply.listFiles(paths, cwd), cwd)
  const checked = apply.checkDocuments(raw.documents, apply.makeBodyCheck())
  refuseProblems([...raw.problems, ...checked.problems].map(apply.formatProblem))
  const { documents, ownership } = checked
  if (documents.length === 0) failUsage(`There are no documents in ${paths.join(', ')}`)
  if (prunes && ownership === undefined)
    failUsage(
      '--prune: no document says what these files manage',
      'Add a document with kind: ownership, a name, and manages: the names of each kind, such as flow: [payments-*]',
    )
  const owned = prunes ? ownership : undefined
  const current = await apply.readState(context, documents, owned)
  const plan = apply.makePlan(documents, current, owned)
  refuseProblems(plan.problems.map(apply.formatProblem))
  return plan.steps
}

function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) failUsage(`Nothing was changed\n${problems.join('\n')}`)
}

async function showPlan({ output }: Context, steps: readonly Step[], has_exit_code: boolean): Promise<Exit> {
  const { formatPlan, isChange, nameResource, toJson } = await load()
  const changing = steps.filter(isChange)
  await output.show({
    json: toJson(steps, []),
    text: formatPlan(steps),
    names: changing.map(({ kind, name }) => nameResource(kind, name)),
  })
  return has_exit_code && changing.length > 0 ? 'no' : 'done'
}

async function carryOut(
  context: Context,
  steps: readonly Step[],
  comment: string | undefined,
): Promise<undefined> {
  const apply = await load()
  const removed = steps
    .filter(({ action }) => action === 'archive' || action === 'delete')
    .map(({ action, kind, name }) => `${action} ${apply.nameResource(kind, name)}`)
  if (removed.length > 0 && !(await confirmRemoval(context, removed))) return undefined
  const { statuses, problem } = await apply.sendSteps(context, steps, comment)
  const done = steps.filter((step, index) => apply.isChange(step) && statuses[index] === 'done')
  await context.output.show({
    json: apply.toJson(steps, statuses),
    text: apply.formatResult(steps, statuses),
    names: done.map(({ kind, name }) => apply.nameResource(kind, name)),
  })
  if (problem !== undefined) throw problem
  return undefined
}

const confirmRemoval = (context: Context, removed: readonly string[]): Promise<boolean> =>
  confirm(context, {
    text: `${removed.join('\n')}\nNo document has them any more. Go on?`,
    declined: 'Cancelled: nothing was changed',
    unanswered: `Nothing was changed: nobody confirmed to ${removed.join(', ')}`,
  })

async function exportKinds(context: Context, folder: string, wanted: readonly string[]): Promise<undefined> {
  const { isKindName, KIND_NAMES, readActive, writeDocuments } = await load()
  const unknown = wanted.find(word => !isKindName(word))
  if (unknown !== undefined)
    failUsage(`--kind: "${unknown}" is not known`, `The kinds are ${KIND_NAMES.join(', ')}.`)
  const kinds = KIND_NAMES.filter(kind => wanted.length === 0 || wanted.includes(kind))
  const files = kinds.map(kind => ({ kind, file: join(folder, `${kind}.yml`) }))
  const path = (file: string) => resolve(context.system.cwd, file)
  const existing = files.find(({ file }) => existsSync(path(file)))
  if (existing !== undefined) failUsage(`${existing.file} exists already`, 'Name an empty folder.')
  const read = []
  for (const { kind, file } of files) {
    const resources = await readActive(context, kind)
    if (resources.length > 0) read.push({ kind, file, count: resources.length, resources })
  }
  if (!context.is_dry_run) mkdirSync(path(folder), { recursive: true })
  for (const { kind, file, resources } of read)
    if (!context.is_dry_run) writeFileSync(path(file), writeDocuments(kind, resources), { flag: 'wx' })
  const written = read.map(({ kind, file, count }) => ({ kind, file, count }))
  await context.output.show({
    json: { files: written },
    text: formatRows(
      ['FILE', 'KIND', 'DOCUMENTS'],
      written.map(({ kind, file, count }) => [file, kind, count]),
      'There is nothing to export',
    ),
    names: written.map(({ file }) => file),
  })
}
