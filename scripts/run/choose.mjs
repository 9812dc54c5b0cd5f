// Commands with a name, such as `npm run check -- deploy`: the scripts of a folder whose first comment begins with
// that line. So each command is one file, and the files define the list of commands.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The npm script's commands in the folder: name, purpose, file. */
export function listCommands(script, folder) {
  const pattern = new RegExp(`^// \`npm run ${script} -- (\\w+)[^\`]*\`: (.+?)[.:;]( |$)`)
  return readdirSync(folder)
    .filter(name => name.endsWith('.mjs'))
    .map(name => join(folder, name))
    .flatMap(file => {
      const comment = readFileSync(file, 'utf8').split(/\n(?!\/\/)/, 1)[0]
      const [, name, purpose] = pattern.exec(comment.replaceAll(/\n\/\/ ?/g, ' ')) ?? []
      return name === undefined ? [] : [{ name, purpose, file }]
    })
}

/** Runs the command named by the first argument, with the other arguments; without a name, `otherwise`. */
export async function runCommand(script, folder, otherwise) {
  const commands = listCommands(script, folder)
  const print = () => {
    for (const { name, purpose } of commands) console.log(`${name.padEnd(14)}${purpose}`)
  }
  const name = process.argv[2]
  const chosen = commands.find(command => command.name === name)
  if (chosen !== undefined) {
    process.argv.splice(1, 2, chosen.file)
    await import(pathToFileURL(chosen.file).href)
  } else if (name === '--list') print()
  else if (name === undefined || name.startsWith('--')) await (otherwise ?? print)()
  else {
    console.error(`There is no "npm run ${script} -- ${name}". There are:`)
    print()
    process.exitCode = 2
  }
}
