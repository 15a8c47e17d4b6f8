// Every record that has a timeline is found on its page by a name, and its own page leads to it.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import type { OpenApi } from '../../console/src/kit/document/operations.ts'
import { type Surface, treeOf } from '../../console/src/kit/document/tree.ts'
import { listOf, recordNodeOf, subjectOf, timelineTypes } from '../../console/src/kit/timeline/records.ts'
import { recordTypes, subjectTypes } from '../../rules/timeline/subjects.ts'

const tree = treeOf(JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8')) as OpenApi)
const surfaces: Surface[] = ['stores', 'businesses']

test('Every type of record that has a timeline is offered, and no other type', () => {
  expect(recordTypes.filter((type) => !timelineTypes.includes(type))).toEqual([])
  expect(timelineTypes.filter((type) => !(subjectTypes as readonly string[]).includes(type))).toEqual([])
})

test('Every type is found in a list that leads from a store or a business to it', () => {
  const missing = timelineTypes.filter((type) => surfaces.every((surface) => !listOf(tree, surface, type)))
  // A subscription is in no list: it is chosen by its id.
  expect(missing).toEqual(['subscription'])
  for (const type of timelineTypes)
    for (const surface of surfaces) {
      const list = listOf(tree, surface, type)
      // A list below another record is reached by choosing that record first.
      const above = list && list.depth > 1 ? list.parent?.parent : undefined
      if (list)
        expect([type, list.depth, list.depth > 1 ? above?.get?.item !== undefined : true]).toEqual([
          type,
          list.depth,
          true,
        ])
      expect([type, (list?.depth ?? 0) <= 2]).toEqual([type, true])
    }
})

test('The page of a record leads to the timeline of its own type', () => {
  const subject = (key: string) => subjectOf({ key }, 'x')
  expect(subject('/v1/stores/{}/orders/{}')).toBe('order:x')
  expect(subject('/v1/stores/{}/audiences/{}/members/{}')).toBe('member:x')
  expect(subject('/v1/stores/{}/members/{}')).toBeUndefined()
  expect(subject('/v1/stores/{}/workflows/{}/executions/{}/runs/{}')).toBeUndefined()
  expect(subject('/v1/stores/{}/lead-research/runs/{}')).toBe('research_run:x')
  expect(recordNodeOf(tree, 'stores', 'enrollment')?.key).toBe('/v1/stores/{}/campaign-enrollments/{}')
  expect(recordNodeOf(tree, 'stores', 'member')).toBeUndefined()
})
