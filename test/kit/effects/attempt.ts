// Attempts in a process of their own, which a test may kill or pause: `node test/kit/effects/attempt.ts
// refund:<id>:<token> …`. Prints one line for each: {"id", "status"} or {"id", "failure", "verdict"}.
import { ApplicationFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import type { EffectName } from '../../../rules/effects.ts'
import { sendOnce } from './effect-rows.ts'

await Promise.all(
  process.argv.slice(2).map(async (given) => {
    const [name = '', id = '', token = ''] = given.split(':')
    try {
      console.log(
        JSON.stringify({
          id,
          status: await new MockActivityEnvironment().run(sendOnce, name as EffectName, id, token),
        }),
      )
    } catch (error) {
      const [failure, verdict] =
        error instanceof ApplicationFailure ? [error.type, error.details?.[0]] : [String(error)]
      console.log(JSON.stringify({ id, failure, ...(typeof verdict === 'string' ? { verdict } : {}) }))
    }
  }),
)
process.exit()
