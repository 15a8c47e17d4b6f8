// Content is judged by one rule, before anything is stored or sent.
import { expect, test } from '@jest/globals'
import { contentIssues, SocialContent } from '../../../rules/social/content.ts'

test('Content of another type than the connection has an error at its type', () => {
  expect(contentIssues('network_e_account', SocialContent.parse({ type: 'network_d_account' }), [])).toEqual([
    expect.objectContaining({ pointer: '/content/type', code: 'type_differs', severity: 'error' }),
  ])
})
