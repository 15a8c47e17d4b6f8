// Maintenance of the installation by name: begun or joined, waited for while the answer can wait, and told how far it is.
import { z } from 'zod'
import { ScriptRun } from '../../entities/platform/script-run.ts'
import { joinScript } from '../../entities/platform/script-runs.ts'
import { writeOnly } from '../../rules/input/write-only.ts'
import { isScript, scriptNames, scripts } from '../../rules/platform/scripts.ts'
import { Reply, route } from '../kit/route.ts'

const Credential = writeOnly(z.string().max(1_000)).optional()

const Ended = z
  .object({
    success: z.boolean().describe('False if the script failed or does not exist.'),
    message: z.string().describe('How the script ended, or how far it has come.'),
  })
  .meta({ id: 'ScriptAnswer' })

/** While it is waited for, `run_id` says which it is; the answer's shape leaves it out. */
type Going = z.output<typeof Ended> & { run_id?: string }

const refused = (message: string): Going => ({ success: false, message })
const going = (message: string) => `Still running: ${message} Send it again to see how far it is.`

export const platformScripts = [
  route('POST /v1/platform/scripts', {
    operation: 'runPlatformScript',
    may: 'platform',
    summary: 'Run a maintenance script',
    description: [
      ...scriptNames.map((name) => `\`${name}\`: ${scripts[name]}.`),
      'Safe to repeat. One that takes longer than the answer can wait goes on; send it again to see how far it is.',
      'Unknown names: 404, and one that is running with another value: 409, both with this body.',
    ].join('\n\n'),
    body: z.object({
      name: z.string().min(1).max(255).describe('Name of the script.'),
      value: z.string().max(1_000).optional().describe('Argument of the script, 1,000 characters at most.'),
      username: Credential.describe('User name for a script that needs one. Write-only: it is neither stored nor passed on.'),
      password: Credential.describe('Password for a script that needs one. Write-only: it is neither stored nor passed on.'),
    }),
    out: Ended,
    refusesAs: [404, 409],
    async run({ em, body: { name, value }, now }) {
      if (!isScript(name)) return new Reply(404, refused(`There is no such script; there are ${scriptNames.join(' and ')}.`))
      const run = await joinScript(em, name, value || null, now)
      if (run.value !== (value || null)) return new Reply(409, refused(`${name} is running with another value; send this again when it is over.`))
      const joined: Going = { success: true, message: going(run.message), run_id: run.id }
      return joined
    },
    wait: {
      when: (result) => (result as Going).run_id !== undefined,
      async until({ em, result }) {
        const { status, message } = await em.findOneOrFail(ScriptRun, { id: (result as Going).run_id as string })
        // What is told when the time is over is how far it is by then.
        if (status === 'running') result.message = going(message)
        return status === 'running' ? undefined : { success: status === 'succeeded', message }
      },
      late: (result, engineAway) => (engineAway ? { success: true, message: 'Noted. It begins when the workflow engine can be reached again.' } : result),
    },
  }),
]
