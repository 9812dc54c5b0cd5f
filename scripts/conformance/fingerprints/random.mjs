// Random trees, ignore files and exclusions for comparing fingerprints, from a seed that makes them repeatable.

const NAMES = [
  ...[
    'a',
    'b',
    'c',
    'x',
    'logs',
    'logs',
    'a.log',
    'b.log',
    'a.txt',
    'A',
    'é',
    'ß日本',
    '😀',
    'sp ace',
    '.hidden',
  ],
  ...[
    'a[b]',
    '[',
    'a]',
    'b*',
    'q?',
    'back\\',
    '#x',
    'new\nline',
    '-',
    'z-a',
    '..a',
    'e\u0301',
    '.kosli_ignore',
  ],
].map(name => Buffer.from(name))
/** Not UTF-8. */
const RAW_NAMES = ['ff', '61ff', 'c328', 'eda080', 'e9', 'efbfbd'].map(hex => Buffer.from(hex, 'hex'))
const PIECES = [
  ...[
    '*',
    '*',
    '?',
    '**',
    '**',
    '/',
    '/',
    '/',
    'a',
    'b',
    'x',
    'logs',
    '.log',
    '*.log',
    '[a-c]',
    '[^a]',
    '[',
    ']',
  ],
  ...[
    '\\',
    '\\*',
    '\\[',
    '..',
    '.',
    'é',
    '[é-ö]',
    '日',
    '[a-',
    'a[b]',
    '.kosli_ignore',
    '.kosli*',
    'sp ace',
    '-',
  ],
]
const ENDS = [
  '\n',
  '\n',
  '\n',
  '\r\n',
  ' \n',
  '\t\n',
  '\u00a0\n',
  ' # why\n',
  '#why\n',
  '\u0085\r\n',
  '\r\r\n',
]

export function makeRandom(seed) {
  let state = seed >>> 0
  const next = limit => {
    // The generator "mulberry32".
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below: next, pick: list => list[next(list.length)], chance: percent => next(100) < percent }
}

/** Entries in an order in which they can be created: `{ path: Buffer, kind, content, target, mode }`. */
export function makeTree(random) {
  const folders = [Buffer.alloc(0)]
  const used = new Set()
  const entries = []
  const allowsRaw = random.chance(30)
  const isCalm = random.chance(60)
  for (let count = random.below(18); count > 0; count--) {
    const parent = random.pick(folders)
    const name = allowsRaw && random.chance(30) ? random.pick(RAW_NAMES) : random.pick(NAMES)
    if (isCalm && /[[\]\\]/.test(name.toString('latin1'))) continue
    const path = parent.length === 0 ? name : Buffer.concat([parent, Buffer.from('/'), name])
    const key = path.toString('latin1')
    if (used.has(key) || key === '.kosli_ignore') continue
    used.add(key)
    const kind = random.pick(['file', 'file', 'file', 'folder', 'folder', 'link'])
    if (kind === 'folder') folders.push(path)
    const target = random.chance(8) ? Buffer.from('nowhere') : makeTarget(random, path, entries)
    entries.push({
      path,
      kind,
      target,
      content: random.pick(['', 'b', 'hello', '\0\n']),
      mode: random.pick([0o644, 0o755]),
    })
  }
  if (random.chance(70)) entries.push(makeIgnoreFile(random))
  return entries
}

export function makeExclusions(random) {
  return Array.from({ length: random.pick([0, 0, 1, 2]) }, () => makePattern(random))
}

/** Up to the root, then down to an entry that exists. */
function makeTarget(random, path, entries) {
  const depth = path.toString('latin1').split('/').length - 1
  const up = Buffer.from('../'.repeat(depth) || './')
  const existing = entries.filter(({ kind }) => kind !== 'link')
  return existing.length === 0 ? up : Buffer.concat([up, random.pick(existing).path])
}

function makeIgnoreFile(random) {
  const lines = Array.from(
    { length: random.below(4) },
    () => ` ${makePattern(random)}`.slice(random.below(2)) + random.pick(ENDS),
  )
  const content = lines.join('') + (random.chance(20) ? makePattern(random) : '')
  return { path: Buffer.from('.kosli_ignore'), kind: 'file', content, mode: 0o644 }
}

function makePattern(random) {
  const known = random.chance(40)
    ? random.pick(['logs', 'a/b', 'a/**', '**/a.log', '**/x', '*/b', 'logs/', './a', 'a//b'])
    : ''
  if (known !== '') return known
  return Array.from({ length: 1 + random.below(5) }, () => random.pick(PIECES)).join('') || '*'
}
