// Figures of a post are those that the network reports: none is made up, and an answer without figures changes none.
import { expect, test } from '@jest/globals'
import { metricsRequests, metricValues, unsupportedMetrics } from '../../../rules/engagement/metrics.ts'
import { networkTypes } from '../../../rules/social/networks/network-types.ts'

const access = { token: 'secret', version: 'v25.0' }
const none = { views: null, reach: null, likes: null, comments: null, shares: null, saves: null }
test('A figure that the network does not report is null and never 0', () => {
  const body = {
    data: [
      { name: 'views', values: [{ value: 0 }] },
      { name: 'likes', values: [{}] },
    ],
  }
  expect(metricValues('network_b_business', [body])).toEqual({ ...none, views: 0 })
  expect(metricValues('network_c_channel', [{ items: [{ statistics: { viewCount: '12' } }] }])).toEqual({
    ...none,
    views: 12,
  })
  expect(metricValues('network_d_account', [{ data: { public_metrics: { retweet_count: 2 } } }])).toEqual({
    ...none,
    shares: 2,
  })
  expect(
    metricValues('network_a_page', [
      { id: '1', likes: { summary: { total_count: 3 } } },
      { data: [{ name: 'post_media_view', values: [{ value: 9 }] }] },
    ]),
  ).toEqual({ ...none, likes: 3, views: 9 })
  expect(unsupportedMetrics('network_e_account', null)).toEqual(['reach', 'saves'])
})

test.each(networkTypes)('An answer of %s without figures changes none', (type) => {
  for (const request of metricsRequests(type, { post: '100', placement: null }, access))
    expect(request).toMatchObject({ method: 'GET', token: 'secret' })
  for (const body of [undefined, {}, { error: {} }]) expect(metricValues(type, [body])).toBeNull()
})
