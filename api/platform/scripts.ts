// Maintenance scripts of the installation. A request starts a script or joins the running one, and waits for its
// result.
import { z } from 'zod'
import { ScriptRun } from '../../entities/platform/script-run.ts'
import { joinScript } from '../../entities/platform/script-runs.ts'
import { writeOnly } from '../../rules/input/write-only.ts'
import { isScript, scriptNames, scripts } from '../../rules/platform/scripts.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'

const Credential = writeOnly(z.string().max(1_000)).optional()

const ScriptResult = z
  .object({
    success: z.boolean().describe('False if the script failed or does not exist.'),
    message: z.string().describe('Result of the script, or its progress while it is running.'),
  })
  .meta({ id: 'ScriptAnswer' })

type Result = z.output<typeof ScriptResult>

const refused = (message: string): Result => ({ success: false, message })
const running = (message: string): Result => ({
  success: true,
  message: `Still running: ${message} Repeat the request to see its progress.`,
})

export const platformScripts = [
  route('POST /v1/platform/scripts', {
    operation: 'runPlatformScript',
    may: 'platform',
    summary: 'Run a maintenance script',
    description: [
      ...scriptNames.map((name) => `\`${name}\`: ${scripts[name]}.`),
      'The request can be repeated. A script that takes longer than the answer waits continues; repeat the request to see its progress.',
      '404 for an unknown name and 409 for a script that is running with another value, both with this body.',
    ].join('\n\n'),
    body: z.object({
      name: z.string().min(1).max(255).describe('Name of the script.'),
      value: z.string().max(1_000).optional().describe('Argument of the script, 1,000 characters at most.'),
      username: Credential.describe(
        'User name for a script that needs one. Write-only: it is neither stored nor passed on.',
      ),
      password: Credential.describe(
        'Password for a script that needs one. Write-only: it is neither stored nor passed on.',
      ),
    }),
    out: ScriptResult,
    status: [200, 404, 409],
    async run({ em, body: { name, value }, now }) {
      if (!isScript(name))
        return new Reply(refused(`There is no such script. Known scripts: ${scriptNames.join(', ')}.`), { status: 404 })
      const run = await joinScript(em, name, value || null, now)
      if (run.value !== (value || null))
        return new Reply(refused(`${name} is running with another value. Repeat the request after it has ended.`), {
          status: 409,
        })
      return new Reply(running(run.message), { pending: run.id })
    },
    wait: {
      async until({ em, pending: id }) {
        const { status, message } = await em.findOneOrFail(ScriptRun, { id })
        return status === 'running' ? new NotYet(running(message)) : { success: status === 'succeeded', message }
      },
      late: (latest, engineAway) =>
        engineAway
          ? { success: true, message: 'The script starts when the workflow engine is reachable again.' }
          : latest,
    },
  }),
]
