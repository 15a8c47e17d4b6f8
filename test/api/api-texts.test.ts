// Texts of the API call a tenant what their surface calls it: the source has placeholders, and no other word for a
// tenant.
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { document } from '../../api/document.ts'

const root = path.resolve(import.meta.dirname, '../..')
type Node = { type?: string; [field: string]: unknown }

/** The verb, and texts that mean tenants of both kinds. */
const withoutVerbs = (text: string): string =>
  text
    .replaceAll(/\band stores them\b|\bStores (all|nothing|the event)\b|\bValue to store\b|\bno-store\b/g, '')
    .replaceAll(/\bstores?('s)? (or|and) (the )?(`\w+` of the )?business(es)?\b/gi, '')

/** The texts of a source file: string literals and templates without a tag. Statements of SQL have one. */
function textsIn(value: unknown, found: string[]): string[] {
  if (Array.isArray(value)) for (const one of value) textsIn(one, found)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return found
  const node = value as Node
  if (node.type === 'ImportDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source)) return found
  if (node.type === 'StringLiteral') found.push(node.value as string)
  if (node.type === 'TemplateLiteral')
    found.push(...((node.quasis ?? []) as { cooked: string }[]).map(({ cooked }) => cooked))
  for (const [name, one] of Object.entries(node)) {
    const isTag = node.type === 'TaggedTemplateExpression' && name === 'template'
    if (name !== 'span') textsIn(isTag ? (one as Node).expressions : one, found)
  }
  return found
}

/** Files whose texts are not said by a route of a store or of a business, with the reason. */
const otherTexts: Record<string, string> = {
  'api/audiences/manage-page.ts': 'a page for members',
  'api/automation/executions.ts': 'a summary in Temporal',
  'api/connections/consent.ts': 'a page for people who connect an account',
  'api/openapi/info.ts': 'the introduction, which explains both surfaces',
  'api/openapi/tags.ts': 'tags, which each surface has of its own',
  'entities/kit/process.ts': 'a statement',
  'entities/stores/tables.ts': 'a reason for those who read the tables',
  ...Object.fromEntries(
    ['connections', 'engagement', 'portal', 'publications', 'sending', 'stores'].map((domain) => [
      `rules/${domain}/descriptions.ts`,
      'texts for operators in Temporal',
    ]),
  ),
  'rules/research/research-prompts.ts': 'a prompt for a model',
  'rules/publications/top-level-domains.ts': 'a list of domains',
}

test('The source of no text of the API names a store except by a placeholder', () => {
  const wrong: string[] = []
  const excused = new Set<string>()
  for (const room of ['api', 'rules', 'entities'])
    for (const name of fs.readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })) {
      const file = `${room}/${name}`
      if (!file.endsWith('.ts') || /\/(migrations|examples)\//.test(file)) continue
      const texts = textsIn(
        parseSync(fs.readFileSync(path.join(root, file), 'utf8'), { syntax: 'typescript', target: 'es2024' }),
        [],
      )
      // A sentence has blanks; a path, a code and the kind of a tenant have none.
      const named = texts.filter(
        (text) =>
          text.includes(' ') &&
          /(?<![{\w/`-])[Ss]tores?(?![}\w/-])/.test(withoutVerbs(text.replaceAll(/\b[A-Z]+ \/v1\S*/g, ''))),
      )
      if (named.length > 0 && otherTexts[file]) excused.add(file)
      else wrong.push(...named.map((text) => `${file}: ${text}`))
    }
  expect(wrong).toEqual([])
  expect([...excused].sort()).toEqual(Object.keys(otherTexts).sort())
}, 120_000)

const made = document() as {
  paths: Record<string, unknown>
  webhooks: Record<string, unknown>
  components: Record<string, Record<string, unknown>>
}
const isBusiness = (name: string) => /^\/v1\/(businesses|networks)(\/|$)/.test(name) || name.startsWith('business ')

/** Summaries and descriptions of a part of the document and of all that it refers to. */
function saidIn(value: unknown, place: string, seen: Set<string>, found: string[]): string[] {
  if (Array.isArray(value)) for (const [index, one] of value.entries()) saidIn(one, `${place}/${index}`, seen, found)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return found
  const node = value as Record<string, unknown>
  if (typeof node.$ref === 'string' && !seen.has(node.$ref)) {
    seen.add(node.$ref)
    const [, , kind = '', name = ''] = node.$ref.split('/')
    saidIn(made.components[kind]?.[name], node.$ref, seen, found)
  }
  for (const text of [node.summary, node.description]) if (typeof text === 'string') found.push(`${place}: ${text}`)
  for (const [key, one] of Object.entries(node)) saidIn(one, `${place}/${key}`, seen, found)
  return found
}
const textsOf = (ofBusinesses: boolean): string[] => {
  const parts = [...Object.entries(made.paths), ...Object.entries(made.webhooks)].filter(
    ([name]) => isBusiness(name) === ofBusinesses,
  )
  return saidIn(Object.fromEntries(parts), '', new Set(), [])
}

test('No text of the business surface says store, and none of the others says business', () => {
  const ofBusinesses = textsOf(true)
  const ofStores = textsOf(false)
  expect(Math.min(ofBusinesses.length, ofStores.length)).toBeGreaterThan(2_000)
  expect(
    ofBusinesses.filter((text) =>
      /\bstores?\b(?!_)/i.test(withoutVerbs(text.slice(text.indexOf(': ') + 2).replaceAll(/`[^`]*`/g, ''))),
    ),
  ).toEqual([])
  // Of the platform: networks, and scripts, which name both kinds of tenants.
  // Only a business can be deleted.
  const isMeant = (text: string) =>
    /\bbusinesses\b.*\bnetwork/i.test(text) || /^(\/\/v1\/erasures|#\/components\/schemas\/Erasure)/.test(text)
  expect(
    ofStores.filter(
      (text) => /\bbusiness(es)?\b/i.test(withoutVerbs(text.slice(text.indexOf(': ') + 2))) && !isMeant(text),
    ),
  ).toEqual([])
})

test('No text of the document has a placeholder that was not filled', () => {
  expect(JSON.stringify(made).match(/[^"]{0,80}\{[Ss]tores?\}.{0,40}/g) ?? []).toEqual([])
})
