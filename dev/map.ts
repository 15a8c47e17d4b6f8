// Writes docs/map.md: what each file of the product holds, by domain and room, from the first sentence of the file.
//   npm run map
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
export const mapFile = path.join(root, 'docs/map.md')
const rooms = ['rules', 'entities', 'api', 'activities', 'workflows'] as const

/** Fewer words are a name, and the next sentence says what it means. */
const wordsMin = 4

/** The first sentence of the comment that a file begins with, and the next ones until they say something. */
function sentenceOf(text: string): string {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const said = /^\/\/ ?(.*)$/.exec(line)?.[1]
    if (said === undefined || said.startsWith('  ')) break
    lines.push(said)
  }
  const [...sentences] = lines.join(' ').matchAll(/\S.*?[.:](?=\s|$)/g)
  let said = ''
  for (const [sentence] of sentences) {
    if (said !== '' && said.split(' ').length >= wordsMin) break
    said = `${said} ${sentence}`.trim()
  }
  return said.replace(/:$/, '.')
}

type Entry = { room: string; file: string; sentence: string }

/** All files of the rooms by domain; files and folders of a room itself are of the domain "all domains". */
function entries(): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>()
  for (const room of rooms)
    for (const file of (fs.readdirSync(path.join(root, room), { recursive: true }) as string[]).sort()) {
      if (!file.endsWith('.ts') || file.startsWith('migrations/')) continue
      const domain = file.includes('/') ? (file.split('/')[0] as string) : ''
      const sentence = sentenceOf(fs.readFileSync(path.join(root, room, file), 'utf8'))
      found.set(domain, [...(found.get(domain) ?? []), { room, file: `${room}/${file}`, sentence }])
    }
  return found
}

/** Folders that hold what all domains use. */
const shared = new Set(['', 'kit', 'limits', 'openapi', 'input', 'providers', 'examples', 'regex', 'scripts', 'search'])
/** The domains, without the folders that all of them use. */
export const domains = (): string[] => [...entries().keys()].filter((domain) => !shared.has(domain))

const headingOf = (domain: string) => (domain === '' ? 'The rooms themselves' : domain)

/** The text of docs/map.md, and the files that begin with no sentence, or with words that say nothing. */
export function map(): { text: string; silent: string[] } {
  const found = [...entries()].sort(([a], [b]) => Number(shared.has(a)) - Number(shared.has(b)) || (a < b ? -1 : 1))
  const silent = found.flatMap(([, files]) =>
    files.filter(({ sentence }) => sentence.split(' ').length < wordsMin).map(({ file }) => file),
  )
  const sections = found.map(([domain, files]) => {
    const parts = rooms.flatMap((room) => {
      const own = files.filter((one) => one.room === room)
      if (own.length === 0) return []
      return [
        `**${room}**\n\n${own.map(({ file, sentence }) => `- [${file.slice(room.length + 1)}](../${file}): ${sentence}`).join('\n')}`,
      ]
    })
    return `## ${headingOf(domain)}\n\n${parts.join('\n\n')}`
  })
  const row = ([domain, files]: [string, Entry[]]) =>
    `| [${headingOf(domain)}](#${headingOf(domain).toLowerCase().replaceAll(' ', '-')}) | ${rooms.map((room) => files.filter((one) => one.room === room).length || '').join(' | ')} |`
  const table = `| | ${rooms.join(' | ')} |\n|---|${rooms.map(() => '--:').join('|')}|\n${found.map(row).join('\n')}`
  const intro =
    'What each file of the product holds, by domain and room: the first sentence of the file. Written by `npm run map`; [the architecture](architecture.md) says what the rooms are.'
  return { text: `# Map\n\n${intro}\n\nFiles:\n\n${table}\n\n${sections.join('\n\n')}\n`, silent }
}

if (import.meta.filename === process.argv[1]) fs.writeFileSync(mapFile, map().text)
