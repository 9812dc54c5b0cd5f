// Finds API paths in a source file: strings that begin with a slash and have a parameter in braces, after
// resolving the constants of the same file.

const CONSTANT = /^const ([A-Z_]+) = (['`])(.*)\2$/gm
const TEXT = /(['`])((?:\/|\$\{[A-Z_]+\})[^'`\s]*)\1/g

export function findTemplates(source: string): string[] {
  const constants = new Map<string, string>()
  for (const [, name = '', , value = ''] of source.matchAll(CONSTANT))
    constants.set(name, fill(value, constants))
  return [...source.matchAll(TEXT)]
    .map(([, , text = '']) => fill(text, constants))
    .filter(text => /^\/[a-z-]+(\/|$)/.test(text) && text.includes('{') && !text.includes('${'))
}

const fill = (text: string, constants: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\$\{([A-Z_]+)\}/g, (whole, name: string) => constants.get(name) ?? whole)
