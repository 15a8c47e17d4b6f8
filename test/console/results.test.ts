// Only a secret of the record that was made is shown once; anything else has a page of its own.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import type { OpenApi } from '../../console/src/kit/document/operations.ts'
import { propertiesOf } from '../../console/src/kit/document/schema.ts'
import { treeOf } from '../../console/src/kit/document/tree.ts'
import { madeBy, shownOnce } from '../../console/src/kit/record/results.ts'

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const tree = treeOf(document)

test('Of all that is created, the value of an API token alone is shown once', () => {
  const creating = [...tree.nodes.values()].filter((node) => node.kind === 'list' && node.post)
  expect(creating.length).toBeGreaterThan(50)
  const once = creating.flatMap((node) => {
    const names = Object.keys(propertiesOf(node.post?.answer, tree.schemas))
    const lists = new Set(['items', 'issues'])
    const answer = Object.fromEntries(names.map((name) => [name, lists.has(name) ? [] : 'x']))
    const place = { node, values: Array.from({ length: node.depth }, () => 'around') }
    const shown = node.post ? Object.keys(shownOnce(tree, node.post, place, answer)) : []
    return shown.map((name) => `${node.post?.spec} ${name}`)
  })
  expect(once).toEqual(['POST /v1/accounts/me/api-tokens value'])
})

test('The record that a request made is its answer, or what the answer contains', () => {
  const at = (key: string) => ({ node: tree.nodes.get(key) as never, values: ['s'] })
  const publications = at('/v1/stores/{}/social-publications')
  expect(madeBy(publications, { publication: { id: 'p' }, issues: [] })).toEqual({ id: 'p' })
  expect(madeBy(at('/v1/stores/{}/media'), { items: [{ id: 'm' }] })).toBeUndefined()
})
