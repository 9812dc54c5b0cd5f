// Runs the story once: starts a service, creates a workspace, and runs the chapters in it.
import { join } from 'node:path'
import { startService } from '../../run/service.mjs'
import { chapters } from './chapters.mjs'
import { runChapters } from './runner.mjs'
import { makeWorkspace } from './workspace.mjs'

/**
 * `selected` are chapter titles; none means all. `prepare` returns how to run each step: `translate` changes the
 * expectations, `chooseProgram` chooses the program.
 */
export async function tellStory(selected, prepare) {
  const unknown = selected.filter(name => !chapters.some(({ title }) => title === name))
  if (unknown.length > 0) {
    const titles = chapters.map(({ title }) => title).join(', ')
    console.error(`Unknown chapter: ${unknown.join(', ')}. Choose from: ${titles}`)
    process.exit(1)
  }
  const workspace = makeWorkspace()
  let service
  const stop = async () => {
    await service?.stop()
    workspace.remove()
  }
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => stop().finally(() => process.exit(1)))
  try {
    service = await startService(join(workspace.folder, 'data'))
    const { translate, chooseProgram } = prepare({ folder: workspace.folder, service })
    return await runChapters({
      chapters: chapters
        .filter(({ title }) => selected.length === 0 || selected.includes(title))
        .map(({ title, steps }) => ({
          title,
          steps: steps.map((step, index) => translate(step, `${title}-${index}`)),
        })),
      folder: workspace.folder,
      variables: { ...workspace.variables, host: service.url, key: service.key },
      chooseProgram,
    })
  } finally {
    await stop()
  }
}
