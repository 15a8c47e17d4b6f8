// The simulator of the networks: its ledger has every request, also one that a fault struck. The judges of chaos know
// of a fault by it alone.
import { expect, test } from '@jest/globals'
import { unique } from '../kit/shop.ts'
import { socialFault, socialLedger } from '../kit/social/social.ts'

const host = 'graph.threads.net'
const faults = ['reset_before_read', 'reset_after_read', 'status', 'answer', 'break_body', 'delay'] as const

test.each(faults)('The ledger of a network names the fault %s with the request that it struck', async (fault) => {
  const path = `/v1.0/${unique()}/threads_publish`
  const body = fault.startsWith('reset_before') ? {} : { body_match: 'creation_id=1' }
  await socialFault({
    fault,
    method: 'POST',
    path: `/${host}${path}`,
    ...body,
    ...(fault === 'delay' ? { delay_ms: 1 } : {}),
  })
  const form = new URLSearchParams({ creation_id: '1' })
  await fetch(`${process.env.TEST_SOCIAL}/${host}${path}`, { method: 'POST', body: form }).then(
    (answer) => answer.text().catch(() => ''),
    () => '',
  )
  const struck = (await socialLedger({ host })).filter((entry) => entry.path === path)
  expect(struck).toEqual([expect.objectContaining({ method: 'POST', fault, effect: false })])
})
